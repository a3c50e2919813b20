/// How long the backend waits, for what.
package struct ServerLimits: Hashable, Sendable {
  /// For a connection, all hosts together.
  package var connecting: Duration
  /// For the next host, before it is tried beside the one that does not answer.
  package var nextHost: Duration
  /// For one answer.
  package var answer: Duration

  package init(
    connecting: Duration = .seconds(5), nextHost: Duration = .milliseconds(250), answer: Duration = .seconds(10)
  ) {
    self.connecting = connecting
    self.nextHost = nextHost
    self.answer = answer
  }
}
