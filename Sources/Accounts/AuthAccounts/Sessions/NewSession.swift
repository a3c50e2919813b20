package import AuthCore

/// The caller's part of a new session.
package struct NewSession: Sendable {
  /// The session's token, 32 random bytes that the caller draws: a login that is repeated because
  /// its answer was lost gets the same session.
  package let token: SessionToken
  /// The label of the session in lists; nil for none.
  package let label: String?
  /// The origin of the session, for lists.
  package let origin: SessionOrigin?

  /// The most bytes of a label.
  package static let longestLabel = 64

  /// A label that is longer is left out, as long parts of the origin are.
  package init(token: SessionToken, label: String?, origin: SessionOrigin?) {
    self.token = token
    self.label = label.flatMap { $0.utf8.count <= Self.longestLabel ? $0 : nil }
    self.origin = origin
  }
}
