/// The versions of the tables, and the mark of this program's files.
///
/// A step is never edited once released; a change is a new step. A new file takes all of them in
/// one transaction, so that upgraded and new files are the same.
///
/// SQLite parses all of it in every process, so it has the rules that guard money and names, and no
/// more.
package struct Schema: Sendable {
  /// "AuS1", the value of `PRAGMA application_id` in our files.
  package static let applicationID: Int64 = 0x4175_5331

  /// The schema that this code reads and writes.
  package static let current = Schema(steps: [first])

  /// The statements that lead to each version from the one before, as SQLite takes them; version 1
  /// begins with an empty file.
  private let steps: [String]

  /// The oldest version whose programs can work with these tables: two services that share a
  /// PostgreSQL database are upgraded one after the other.
  package let oldest: Int64

  /// Creates a schema; tests bring steps of their own.
  package init(steps: [String], oldest: Int64 = 1) {
    (self.steps, self.oldest) = (steps, oldest)
  }

  /// The schema that a release with one more step would have.
  package func adding(_ step: String, oldest: Int64) -> Schema { Schema(steps: steps + [step], oldest: oldest) }

  /// The number of the last version.
  package var version: Int64 { Int64(steps.count) }

  /// The statements that lead from a version to this one; version 0 is an empty file.
  package func steps(from version: Int64) -> ArraySlice<String> { steps[Int(version)...] }
}
