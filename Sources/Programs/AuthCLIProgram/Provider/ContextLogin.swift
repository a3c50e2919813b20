import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// For whom a context has access at an identity provider.
enum ContextLogin: Redacted {
  /// For a user, who logs in there: commands get a ``ProviderWorkspace``, with a session.
  case user(ProviderSettings)
  /// For a client that acts for itself: commands get a ``ClientWorkspace``, which has no session.
  case client(ClientSettings)

  /// What a context remembers; nil if it is not at an identity provider.
  init?(of location: ContextLocation) throws(CommandError) {
    let vault = location.vault(for: .anyProvider)
    guard let content = try explained({ () throws(VaultError) in try vault.providerSettings() }) else { return nil }
    guard let login = ContextLogin(content) else {
      throw CommandError(code: .providerSettingsUnusable, vault.providerPath.escaped, location.context.description)
    }
    if let resource = location.resource, resource.text != login.provider.resource?.address {
      throw CommandError(code: .contextOfOther, location.context.description, resource.text)
    }
    self = login
  }

  init?(_ content: [UInt8]) {
    guard let settings = ProviderSettings(content), case .object(let list)? = JSON(parsing: content) else { return nil }
    switch list.first(where: { $0.name == ClientSettings.member })?.value ?? .null {
    case .null: self = .user(settings)
    case .string(""): self = .client(ClientSettings(provider: settings))
    case .string(let path): self = .client(ClientSettings(provider: settings, assertionFile: path))
    case _: return nil
    }
  }

  /// The provider, for what does not depend on who has access.
  var provider: ProviderSettings {
    switch self {
    case .user(let settings): settings
    case .client(let settings): settings.provider
    }
  }

  /// Whether a client has access that acts for itself.
  var isOfClient: Bool { if case .client = self { true } else { false } }

  /// Where a context is, for lists of contexts.
  var place: String { isOfClient ? "client \(provider.clientID) at \(provider.issuer)" : provider.place }

  /// The issuer of the tokens, as the session file names it.
  var tokenIssuer: TokenIssuer {
    switch self {
    case .user(let settings): settings.tokenIssuer
    case .client(let settings): settings.tokenIssuer
    }
  }
}

/// The saved settings of a client that acts for itself.
struct ClientSettings: Redacted {
  /// The provider; `clientSecret` is the client's secret, if it has one.
  var provider: ProviderSettings
  /// The absolute path of the file with the signed assertion, if there is one in place of a secret.
  var assertionFile: String?

  /// The member of the saved settings that a user's settings lack.
  fileprivate static let member = "assertion_file"

  var content: [UInt8] { provider.content(with: [Self.member: .string(assertionFile ?? "")]) }

  var tokenIssuer: TokenIssuer { .clientItself(provider.clientID, at: provider.issuer) }

  /// Creates the access; reads the assertion again, because its issuer replaces it before it
  /// expires.
  func access(clock: any SessionClock) throws(CommandError) -> OAuthClientAccess {
    var assertion: Secret?
    if let assertionFile { assertion = try AssertionFile(path: assertionFile).read() }
    return OAuthClientAccess(
      provider.authority(clock: clock), parameters: provider.parameters, assertion: assertion)
  }
}

extension ProviderSettings {
  /// The issuer, and the resource that its tokens are for.
  var place: String { issuer + (resource == nil ? "" : ", for \(resources[0])") }

  /// The settings of a context for a user; nil if it is not at an identity provider.
  ///
  /// - Throws: ``CommandError`` also for the context of a client.
  init?(of location: ContextLocation) throws(CommandError) {
    switch try ContextLogin(of: location) {
    case .user(let settings): self = settings
    case .client(let settings): throw settings.noUser(location.context)
    case nil: return nil
    }
  }
}

extension ClientSettings {
  /// The error of a command that needs a user.
  func noUser(_ context: ContextName) -> CommandError {
    CommandError(code: .noUserInContext, context.description, provider.clientID.escaped, provider.issuer.escaped)
  }
}

extension JSON {
  /// An identity provider, and whether a client that acts for itself has access there.
  static func provider(_ login: ContextLogin) -> JSON {
    .provider(login.provider) + (login.isOfClient ? ["client_credentials": true] : [:])
  }
}
