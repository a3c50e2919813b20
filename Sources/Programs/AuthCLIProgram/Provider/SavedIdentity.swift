import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// A valid ID token of a context, from the session file or from a renewal just now.
struct SavedIdentity: Redacted {
  let token: IdentityToken
  /// Long enough for the request that uses it.
  private static let minimum = Duration.seconds(10)

  /// Takes the ID token of the session file; if it has expired and the provider may send another
  /// one, renews the session once, without a prompt.
  init(in location: ContextLocation, _ output: CommandOutput) async throws(CommandError) {
    guard let settings = try ProviderSettings(of: location) else {
      if let resource = location.resource { throw CommandError(code: .notAtResource, resource.text) }
      throw CommandError(code: .notAtProvider, location.context.description)
    }
    let now = try explained { () throws(ClockError) in try BootClock().now() }
    if case .token(let session, _) = location.vault(for: settings.tokenIssuer).read(),
      let saved = IdentityToken(of: session), saved.isValid(for: Self.minimum),
      SavedLogin(session)?.endReason(at: now) == nil
    {
      token = saved
      return
    }
    let workspace = ProviderWorkspace(location, output, settings, onlyTokens: true)
    _ = try await workspace.session()
    // The first renewal may return what another process renewed earlier.
    for _ in 1...2 {
      let (saved, isRenewed) = try workspace.savedIdentity()
      if saved.isValid(for: Self.minimum) {
        token = saved
        return
      }
      guard isRenewed else { break }
      defer { workspace.rememberClientAuthentication() }
      try await explainedAsync { () throws(SessionError) in try await workspace.store.renew() }
    }
    token = try workspace.savedIdentity().token
    guard token.isValid(for: .zero) else { throw CommandError(code: .idTokenExpired) }
  }
}

extension ProviderWorkspace {
  /// The saved ID token, and whether a renewal may bring another one.
  fileprivate func savedIdentity() throws(CommandError) -> (token: IdentityToken, isRenewed: Bool) {
    guard case .token(let session, _) = vault.read(), let saved = IdentityToken(of: session) else {
      throw CommandError(code: .idTokenMissing)
    }
    return (saved, saved.isRenewed != false && SavedLogin(session)?.isRenewable == true)
  }

  /// The ID token of the saved session, for `status`.
  private var identity: IdentityToken? {
    guard case .token(let session, _) = vault.read() else { return nil }
    return IdentityToken(of: session)
  }

  /// A sentence about the ID token for servers that take it; none if there is none.
  var identityNotes: [String] {
    guard let identity else { return [] }
    let audience = identity.audience.map(\.escaped).joined(separator: ", ")
    let left = Duration.seconds(identity.end.seconds - UTCTime.now.seconds)
    return ["The ID token is for \(audience); it \(left > .zero ? "is valid for \(left.words)" : "has expired")."]
  }

  /// The same facts for programs; never the token.
  var identityDocument: JSON {
    [
      "id_token_audience": identity.map { .array($0.audience.map(JSON.string)) } ?? .null,
      "id_token_until": .string(orNull: identity?.end.iso8601),
    ]
  }
}
