import AuthCore
import AuthMessages
import CommandLineKit

// The Home tab: who is logged in, what the account has, and what nobody needs a session for.

extension AppState {
  /// The page of the Home tab, which needs no login.
  ///
  /// What is loaded stands below all else, so that no row moves when it arrives.
  var homePage: AppPage {
    if !isRestored, checkNotice == nil { return AppPage(lines: isLoadingLong ? ["Looking for your session…"] : []) }
    if let user { return provider.map { home(of: user, at: $0) } ?? home(of: user) }
    let logIn = AppRow("Log in", logInChoice)
    let machine = AppRow("See how a session works", .open(.machine))
    var lines = [isRestored ? "Welcome. Nobody is logged in." : "It is not known yet whether you are logged in."]
    var rows = [logIn, AppRow("Create an account", .fill(.register)), AppRow.recover, machine]
    if let provider {
      lines.append("This context is at \(provider).")
      rows = [logIn, .contexts, machine]
    } else if isEmpty {
      lines.append("There are no accounts yet. The first one administers the others.")
      rows = [AppRow("Create the first account", .fill(.register)), logIn, machine]
    }
    return AppPage(lines: lines + [""], rows: rows + [.quit])
  }

  /// Home of a user of a database, with what is loaded of the account.
  private func home(of user: User) -> AppPage {
    let loaded = self[.home].page
    // A small terminal shows only the first line, so it has the balance, too.
    var lines = [(["Welcome, \(user.displayName)."] + (loaded?.lines ?? [])).joined(separator: " ")]
    if let timeLeft { lines.append(timeLeft) }
    let first = lacksTwoStep ? [AppRow.secondStep] : []
    let rows = [
      AppRow("Pay somebody", .open(.pay)), AppRow("Change your password", .fill(.changePassword)),
      AppRow("Log out", .ask(.logOut(user))), .quit,
    ]
    let last = (loaded?.rows ?? []).filter { row in !first.contains { $0.id == row.id } }
    return AppPage(lines: lines + [""], columns: loaded?.columns ?? [], rows: first + rows + last)
  }

  /// Home of a user at an identity provider.
  private func home(of user: User, at provider: String) -> AppPage {
    var rows = [
      AppRow("See what the provider says about you", .open(.profile)), .contexts,
      AppRow("Renew the access token", .perform(.renewAccess)),
      AppRow("See how your session works", .open(.machine)), AppRow("Log out", .ask(.logOut(user))), .quit,
    ]
    if canConfirm(user) { rows.insert(AppRow("Confirm the login at the provider", .authenticate), at: 3) }
    return AppPage(lines: ["Welcome, \(user.displayName).", "This context is at \(provider).", ""], rows: rows)
  }

  /// Whether Home has something to load: what a user at a database has.
  var loadsHome: Bool { isLoggedIn && provider == nil }

  /// How long the session lasts, as a sentence; nil if it does not end by itself.
  private var timeLeft: String? {
    guard let end, end.at > now else { return nil }
    let wait = (end.at - now).asWait
    return end.isIdle ? "The session ends after \(wait) without activity." : "The session ends in \(wait)."
  }
}

extension AppRow {
  /// The row of an account without a second step.
  static let secondStep = AppRow("Set up a second step, which is off", .perform(.change(.beginTwoStep)))
  fileprivate static let contexts = AppRow("See the logins of this device", .open(.contexts))
  fileprivate static let recover = AppRow("Set a new password with a code", .fill(.recover()))
  fileprivate static let quit = AppRow("Quit", .quit)
}
