import AuthCore

/// The secret for an authenticator app, as a form shows it.
struct AppSecret: Equatable, Sendable, Redacted {
  let text: String
  /// A QR code in lines; none where no program draws it.
  let picture: [String]
}
