import AuthBackend
import AuthCore
import CommandLineKit

extension AppWork {
  /// Does it, and says what was done.
  func carryOut(_ action: AppAction) throws(CommandError) -> AppAnswer {
    let change: AppRequest
    switch action {
    case .logIn(let credentials): return try ask(.logIn(credentials))
    case .logOut: return try ask(.logOut)
    case .register(let credentials): return try register(credentials)
    case .reauthenticate(let password): return try ask(.confirm(password))
    case .answer(let code): return try ask(.answer(code))
    case .cancelAnswer:
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return AppAnswer("Nothing was changed.")
    case .pay(let amount, let payee, let number): return try pay(amount, to: payee, number)
    case .changePassword(let present, let new): return try changePassword(present, to: new)
    case .rename(let name): change = try rename(name)
    case .revoke(let id): change = try revoke(id)
    case .administer(let administration): change = try administer(administration)
    }
    let answer = try ask(change)
    // What became of the session; where that cannot be found out, the next look says why.
    do throws(CommandError) { try ask(.look) } catch {}
    return answer
  }

  private func rename(_ name: String) throws(CommandError) -> AppRequest {
    let screen = try screens().profile
    return .backend { [backend] () throws(LeaseError<BackendError>) in
      _ = try screen.rename(to: name, at: backend)
      return AppAnswer("Your name is \(name) now.")
    }
  }

  private func revoke(_ id: SessionID) throws(CommandError) -> AppRequest {
    let screen = try screens().sessions
    let fresh = try fresh(screen.session)
    return .backend { [backend] () throws(LeaseError<BackendError>) in
      try screen.revoke(id, with: fresh, at: backend)
      return AppAnswer("Session \(id.rawValue) is ended.")
    }
  }

  private func administer(_ administration: Administration) throws(CommandError) -> AppRequest {
    let screen = try screens().accounts
    let administrator = try administrator(screen.session)
    let fresh = try fresh(screen.session)
    return .backend { [backend] () throws(LeaseError<BackendError>) in
      try screen.perform(administration, at: backend, for: administrator, fresh)
    }
  }

  private func register(_ credentials: Credentials) throws(CommandError) -> AppAnswer {
    do throws(BackendError) {
      let user = try backend.register(
        username: credentials.username, password: credentials.password, displayName: nil)
      let role = user.role == .administrator ? ", the administrator" : ""
      return AppAnswer("Created \(user.username)\(role). Enter its password to log in.")
    } catch {
      throw CommandError(error)
    }
  }

  private func fresh(_ session: LoggedInSession) throws(CommandError) -> FreshSession {
    do throws(FreshnessError) {
      return try FreshSession(session)
    } catch {
      throw CommandError(error)
    }
  }

  private func pay(_ amount: Amount, to payee: Username, _ number: Int) throws(CommandError) -> AppAnswer {
    let screen = try screens().payment
    let key: IdempotencyKey
    do throws(BackendError) { key = try IdempotencyKey("app-\(run)-\(number)") } catch { throw CommandError(error) }
    return try ask(.pay(PaymentOrder(amount: amount, payee: payee, key: key), try fresh(screen.session), screen))
  }

  private func changePassword(_ present: Password, to new: Password) throws(CommandError) -> AppAnswer {
    guard let session = store.session else { throw .notLoggedIn }
    do throws(BackendError) {
      try backend.check(newPassword: new, for: session.user.username)
    } catch {
      throw CommandError(error)
    }
    // A fresh key proves the password and the code; the change checks the password again.
    if (try? FreshSession(session)) == nil { try ask(.confirm(present)) }
    guard let session = store.session else { throw .notLoggedIn }
    let fresh = try fresh(session)
    let answer = try ask(
      .backend { [backend] () throws(LeaseError<BackendError>) in
        _ = try session.withLease { (lease) throws(BackendError) in
          try backend.changePassword(from: present, to: new, for: fresh, under: lease)
        }
        return AppAnswer("Your password is changed. All your other sessions are ended.")
      })
    // The session goes on under a new token, for which the new password is the proof.
    try ask(.confirm(new))
    return answer
  }
}

extension AppAction {
  /// Whether somebody asks to log in or out with it.
  var mayEndSession: Bool {
    switch self {
    case .logIn, .logOut, .answer: true
    case .register, .reauthenticate, .cancelAnswer, .pay, .rename, .changePassword, .revoke, .administer: false
    }
  }
}
