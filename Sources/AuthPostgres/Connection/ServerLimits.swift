/// How long the backend waits, for what.
package struct ServerLimits: Hashable, Sendable {
  package static let standard = ServerLimits()

  /// For a connection, all hosts together.
  package var connecting: Duration = .seconds(5)
  /// For the next host, before it is tried beside the one that does not answer.
  package var nextHost: Duration = .milliseconds(250)
  /// For one answer.
  package var answer: Duration = .seconds(10)
  /// For a statement that only reads, after which the server itself ends it.
  package var read: Duration = .seconds(5)
  /// For the server to end a connection that was given up; then it no longer counts.
  package var abandoned: Duration = .seconds(30)
  /// For the next use of a connection that nobody uses, before it is closed.
  package var idle: Duration = .seconds(60)
}
