/// How long the backend waits, for what.
package struct ServerLimits: Hashable, Sendable {
  package static let standard = ServerLimits()

  /// For a connection, all hosts together.
  package var connecting: Duration = .seconds(5)
  /// For the next host, before it is tried beside the one that does not answer.
  package var nextHost: Duration = .milliseconds(250)
  /// For one answer.
  package var answer: Duration = .seconds(10)
}
