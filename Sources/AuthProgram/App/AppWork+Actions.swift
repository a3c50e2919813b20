import AuthBackend
import AuthCore
import CommandLineKit

extension AppWork {
  /// Does it, and says in a sentence what was done.
  func perform(_ action: AppAction) async -> AppMessage {
    if action.mayEndSession { authority.beginEnding() }
    defer { if action.mayEndSession { authority.finishEnding() } }
    var code: OneTimeCode?
    do throws(CommandError) {
      let text = try await carryOut(action, &code)
      return .finished(action, .success(text), code: code)
    } catch {
      return .finished(action, .failure(error))
    }
  }

  private func carryOut(_ action: AppAction, _ code: inout OneTimeCode?) async throws(CommandError) -> String {
    let change: BackendCall
    switch action {
    case .logIn(let credentials): return try await logIn(credentials)
    case .logOut: return try await logOut()
    case .register(let credentials): return try register(credentials)
    case .reauthenticate(let password):
      try await confirm(password)
      return "The password is confirmed."
    case .answer(let code): return try await answer(code)
    case .cancelAnswer:
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return "Nothing was changed."
    case .pay(let amount, let payee, let number): return try await pay(amount, to: payee, number)
    case .changePassword(let present, let new): return try await changePassword(present, to: new)
    case .rename(let name): change = try rename(name)
    case .revoke(let id): change = try revoke(id)
    case .administer(let administration): change = try administer(administration)
    }
    try await ask(change)
    code = change.code
    // What became of the session; where that cannot be found out, the next look says why.
    _ = await look()
    return change.done
  }

  private func rename(_ name: String) throws(CommandError) -> BackendCall {
    let screen = try screens().profile
    return BackendCall("Your name is \(name) now.") { [backend] () throws(LeaseError<BackendError>) in
      _ = try screen.rename(to: name, at: backend)
      return nil
    }
  }

  private func revoke(_ id: SessionID) throws(CommandError) -> BackendCall {
    let screen = try screens().sessions
    let fresh = try fresh(screen.session)
    return BackendCall("Session \(id.rawValue) is ended.") { [backend] () throws(LeaseError<BackendError>) in
      try screen.revoke(id, with: fresh, at: backend)
      return nil
    }
  }

  private func administer(_ administration: Administration) throws(CommandError) -> BackendCall {
    let screen = try screens().accounts
    let administrator = try administrator(screen.session)
    let fresh = try fresh(screen.session)
    return BackendCall(administration.done) { [backend] () throws(LeaseError<BackendError>) in
      try screen.perform(administration, at: backend, for: administrator, fresh)
    }
  }

  private func register(_ credentials: Credentials) throws(CommandError) -> String {
    do throws(BackendError) {
      let user = try backend.register(
        username: credentials.username, password: credentials.password, displayName: nil)
      let role = user.role == .administrator ? ", the administrator" : ""
      return "Created \(user.username)\(role). Enter its password to log in."
    } catch {
      throw CommandError(error)
    }
  }

  private func logIn(_ credentials: Credentials) async throws(CommandError) -> String {
    let pressed: NavigationBar.Pressed
    do throws(SessionError) {
      pressed = try await bar.press(.logIn) { credentials }
    } catch {
      throw error == .credentialsNotAccepted ? .wrongCredentials : CommandError(error)
    }
    guard case .loggedIn(let session) = pressed else {
      throw CommandError(.overtaken, "who is logged in changed at the same moment", hint: "Look, and try again.")
    }
    return "Logged in as \(session.user.username)."
  }

  private func answer(_ code: Password) async throws(CommandError) -> String {
    guard case .challenged(let challenge, let before) = store.state else {
      throw CommandError(SessionError.rejected(.challengeOver))
    }
    do throws(SessionError) {
      let session = try await store.answer(code, to: challenge).session
      return before == nil ? "Logged in as \(session.user.username)." : "The password is confirmed."
    } catch {
      if case .challenged = error { throw .wrongCode }
      throw CommandError(error)
    }
  }

  private func logOut() async throws(CommandError) -> String {
    guard let user = store.session?.user else { throw .notLoggedIn }
    let result: LogoutResult
    do throws(SessionError) {
      guard case .loggingOut(let pending) = try await bar.press(.logOut(user), credentials: { nil }) else {
        throw .overtaken
      }
      do throws(LogoutError) { result = try await pending.value() } catch { throw .cancelled }
    } catch {
      throw CommandError(error)
    }
    switch result {
    case .complete, .alreadyLoggedOut: return "Logged out."
    case .partial(let leftovers, _):
      throw CommandError(
        .logoutIncomplete, "logged out on this device, but \(leftovers)",
        hint: "Remove the cause, then log out again: auth-cli logout")
    }
  }

  private func confirm(_ password: Password) async throws(CommandError) {
    do throws(SessionError) {
      _ = try await store.confirm(password)
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

  private func pay(_ amount: Amount, to payee: Username, _ number: Int) async throws(CommandError) -> String {
    let screen = try screens().payment
    let key: IdempotencyKey
    do throws(BackendError) { key = try IdempotencyKey("app-\(run)-\(number)") } catch { throw CommandError(error) }
    let fresh = try fresh(screen.session)
    let order = PaymentOrder(amount: amount, payee: payee, key: key)
    let receipt = try await store.pay(order, fresh, on: screen, at: backend)
    return "Paid \(receipt.amount) to \(receipt.payee). Receipt \(receipt.id)."
  }

  private func changePassword(_ present: Password, to new: Password) async throws(CommandError) -> String {
    guard let session = store.session else { throw .notLoggedIn }
    do throws(BackendError) {
      try backend.check(newPassword: new, for: session.user.username)
    } catch {
      throw CommandError(error)
    }
    // A fresh key proves the password and the code; the change checks the password again.
    if (try? FreshSession(session)) == nil { try await confirm(present) }
    guard let session = store.session else { throw .notLoggedIn }
    let fresh = try fresh(session)
    let change = BackendCall("Your password is changed. All your other sessions are ended.") {
      [backend] () throws(LeaseError<BackendError>) in
      _ = try session.withLease { (lease) throws(BackendError) in
        try backend.changePassword(from: present, to: new, for: fresh, under: lease)
      }
      return nil
    }
    try await ask(change)
    // The session goes on under a new token, for which the new password is the proof.
    try await confirm(new)
    return change.done
  }
}

extension AppAction {
  /// Whether somebody asks to log in or out with it.
  fileprivate var mayEndSession: Bool {
    switch self {
    case .logIn, .logOut, .answer: true
    case .register, .reauthenticate, .cancelAnswer, .pay, .rename, .changePassword, .revoke, .administer: false
    }
  }
}
