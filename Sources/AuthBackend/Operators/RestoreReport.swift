/// What was done after a backup was restored, and what only a person can check.
package struct RestoreReport: Hashable, Sendable {
  /// How many sessions were ended.
  package let sessions: Int
  /// How many recovery and one-time codes were voided.
  package let codes: Int
  /// Those who were administrators when the backup was made.
  package let administrators: Names
  /// Those who were disabled then.
  package let disabled: Names
  /// Those who were asked for a code then.
  package let withTwoStep: Names
  /// The newest payment: later ones are gone, and their keys would pay again.
  package let lastPayment: Moment?
  /// The newest event before this one.
  package let lastEvent: Moment?

  /// The first names of a list, and how many it has.
  package struct Names: Hashable, Sendable {
    /// How many are named, so that a report fits a frame of the service.
    package static let limit = 200
    package let first: [String]
    package let count: Int
  }

  /// A number, and when it was given.
  package struct Moment: Hashable, Sendable {
    package let id: Int64
    package let at: WallTime
  }
}
