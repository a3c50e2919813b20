/// A short-lived secret for requests to your servers, which an authority grants beside the token of
/// the session.
///
/// The vault saves it with the token of the session, so that the next process lends it without a
/// request. The store gets a new one from ``Authority/renew(_:)`` before it ends. Apps get it from
/// ``LoggedInSession/withAccess(within:_:)``. It never prints its content and is never `Codable`.
/// (RFC 6749, section 1.4.)
public struct AccessToken: Hashable, Sendable, Redacted {
  /// The token itself; do not log, print or copy it.
  package let value: String
  /// The time until which servers accept it; ``Deadline/unknown`` if the authority does not say.
  package let deadline: Deadline

  /// Wraps a token that an authority issued.
  public init(_ value: String, deadline: Deadline) {
    self.value = value
    self.deadline = deadline
  }
}
