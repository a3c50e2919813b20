/// The parts of a logout that could not be cleaned up.
///
/// An empty value means that nothing remains.
public struct IncompleteCleanup: Hashable, Sendable, CustomStringConvertible {
  /// The authority did not confirm the end of the session: a copy of the token may still work.
  public var notRevoked = false
  /// The vault did not confirm that it erased the token.
  public var notErased = false
  /// The number of leases that were still running at the time limit.
  ///
  /// The authority refuses their late effects if it revoked the session.
  public var leases = 0

  /// Nothing remains.
  package static let none = IncompleteCleanup()

  /// Whether a token may still work or may still be stored.
  var hasTokens: Bool { notRevoked || notErased }

  /// Combines two values.
  func adding(_ other: IncompleteCleanup) -> IncompleteCleanup {
    IncompleteCleanup(
      notRevoked: notRevoked || other.notRevoked, notErased: notErased || other.notErased,
      leases: max(leases, other.leases))
  }

  /// What remains, as a message.
  public var description: String {
    var parts: [String] = []
    if notRevoked { parts.append("not revoked at the authority") }
    if notErased { parts.append("not erased from the vault") }
    if leases > 0 { parts.append(leases == 1 ? "1 lease still running" : "\(leases) leases still running") }
    return parts.isEmpty ? "nothing remains" : parts.joined(separator: ", ")
  }
}
