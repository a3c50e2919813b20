import AuthAccounts
import AuthCore
import AuthDevice
import AuthFullScreen
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// The work of the full-screen program at an identity provider, which has no payments, receipts or
/// accounts.
final class ProviderAppWork: CommandAppWorker {
  let store: SessionStore
  let vault: FileVault
  let clock: any SessionClock
  private let location: ContextLocation
  private let authority: OAuthAuthority

  var database: (any Backend)? { nil }
  var isEmpty: Bool { false }
  var isFileMissing: Bool { false }

  init(_ workspace: ProviderWorkspace) {
    (store, vault, clock) = (workspace.store, workspace.vault, workspace.clock)
    (location, authority) = (workspace.location, workspace.authority)
  }

  /// Only a login of a user whom the provider names can be confirmed.
  func canConfirm(_ user: User) -> Bool { user.isIdentified }

  func check() async -> AppMessage { .checked(await store.checkOrRestore(), isKnown: isKnown) }

  func load(_ tab: AppTab, isActivity: Bool, _ query: AppQuery) async throws(CommandError) -> AppPage {
    switch tab {
    case .home: return .blank
    case .profile: return try await profile()
    case .contexts: return .contexts(try ContextsCommand.contents(at: location, nil), current: location.context)
    case .machine: return machinePage
    case .pay, .receipts, .sessions, .events, .accounts: throw needsLedger
    }
  }

  func perform(_ action: AppAction) async throws(CommandError) -> AppResult {
    switch action {
    case .logIn(let credentials):
      let session = try await LoggedInSession.begun(renewing: nil) { () async throws(SessionError) in
        try await store.logIn(credentials)
      }
      return AppResult(done: "Logged in as \(session.user.username). \(try validity())")
    case .confirm(let credentials):
      guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
      let user = try await store.reauthenticate(session, with: credentials, at: authority.server.issuer).user
      return AppResult(done: "Login of \(user.username) confirmed. \(try validity())")
    case .renewAccess:
      try await explainedAsync { () throws(SessionError) in _ = try await store.renew() }
      return AppResult(done: try validity())
    case .logOut(let user):
      let result = try await store.logOut(user, at: authority, vault)
      return AppResult(
        done: result == .withoutRevocation ? "Logged out. \(LogOutCommand.notRevocable)." : "Logged out.")
    case .register, .reauthenticate, .answer, .cancelAnswer, .pay, .rename, .changePassword, .recover, .change,
      .administer:
      throw needsLedger
    }
  }

  private var needsLedger: CommandError { CommandError(code: .noPaymentsAtProvider, authority.server.issuer.escaped) }

  private func validity() throws(CommandError) -> String {
    try Deadlines(clock: clock).validity(of: vault.savedToken)
  }

  private func profile() async throws(CommandError) -> AppPage {
    guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
    let rows = session.rows(with: try await session.claims(at: authority))
    let deadlines = try Deadlines(clock: clock)
    let end = vault.savedToken.flatMap { deadlines.moment($0.deadline) }
    return .profile(rows, provider: authority.server.issuer, validUntil: end?.local)
  }
}

extension AppPage {
  /// The contexts of this device, as an app at an identity provider shows them: without the users
  /// who are logged in at a database, because that would need a request.
  static func contexts(_ contexts: [(ContextName, ContextsCommand.Content)], current: ContextName) -> AppPage {
    .contexts(
      contexts.map { name, content in
        var (user, place) = ("", "a database")
        switch content {
        case .atProvider(let login, let saved): (user, place) = (saved?.user?.username ?? "", login.place)
        case .unusable: (user, place) = ("?", "unusable file")
        case .user, .ended, .elsewhere: break
        }
        return [name.description, user, place + (name == current ? " (this one)" : "")]
      })
  }
}
