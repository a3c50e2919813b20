/// The longest waits of the backend for a server.
package struct ServerLimits: Hashable, Sendable {
  package static let standard = ServerLimits()

  /// The longest wait for a connection, all hosts together.
  package var connecting: Duration = .seconds(5)
  /// The wait for an answer of one host before the next host is also tried.
  package var nextHost: Duration = .milliseconds(250)
  /// The longest wait for the answers to what was sent together.
  package var answer: Duration = .seconds(10)
  /// The longest time of a statement that only reads, after which the server ends it.
  package var read: Duration = .seconds(5)
  /// How long an abandoned connection counts as open, if the server does not end it sooner.
  package var abandoned: Duration = .seconds(30)
  /// How long an unused connection stays open.
  package var idle: Duration = .seconds(60)
}
