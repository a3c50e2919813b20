import AuthCore

/// A request of an operator: whoever may open the service's second socket, or its database.
///
/// It is a type of its own, so that what reads a ``BackendRequest`` from the people's socket can
/// never come by one.
package enum OperatorRequest: Sendable {
  /// Ends every session of a user.
  case endSessions(Username)
  /// Makes a one-time code for a user's new password.
  case resetPassword(Username)
  /// Turns the second step of a user off.
  case endTwoStep(Username)
  /// Reads events before a time, oldest first, for an archive.
  case archivable(before: WallTime, after: Int64?, limit: Int)
  /// Deletes the events before a time up to a number, when there are exactly so many.
  case deleteArchived(before: WallTime, through: Int64, count: Int)
  /// Ends and voids what a restored backup revived.
  case afterRestore
}

/// The answer to an ``OperatorRequest``.
package enum OperatorAnswer: Sendable {
  /// Done, and there is nothing to say.
  case done
  case count(Int)
  case oneTimeCode(OneTimeCode)
  case events([Event])
  case restored(RestoreReport)
}

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

extension Rules {
  /// Answers an operator.
  ///
  /// It blocks its caller, as ``perform(_:)-(BackendRequest)`` does.
  package func perform(_ request: OperatorRequest) throws(BackendError) -> OperatorAnswer {
    switch request {
    case .endSessions(let name): return .count(try endSessions(of: name))
    case .resetPassword(let name): return .oneTimeCode(try resetPasswordAsOwner(of: name))
    case .endTwoStep(let name): return done(try endTwoStep(of: name))
    case .archivable(let time, let number, let limit):
      return .events(try archivableEvents(before: time, after: number, limit: limit))
    case .deleteArchived(let time, let number, let count):
      return done(try deleteArchivedEvents(before: time, through: number, count: count))
    case .afterRestore: return .restored(try cleanUpAfterRestore())
    }
  }

  private func done(_: Void) -> OperatorAnswer { .done }
}
