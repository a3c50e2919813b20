import AuthBackend
import AuthCore
import CommandLineKit

extension AppWork {
  /// Does it, and says in a sentence what was done.
  func perform(_ action: AppAction) async -> AppMessage {
    var code: OneTimeCode?
    do throws(CommandError) {
      let text = try await carryOut(action, &code)
      return .finished(action, .success(text), code: code)
    } catch {
      return .finished(action, .failure(AppProblem(error)))
    }
  }

  private func carryOut(_ action: AppAction, _ code: inout OneTimeCode?) async throws(CommandError) -> String {
    switch action {
    case .logIn(let credentials): return try await press(.logIn, credentials)
    case .logOut: return try await logOut()
    case .register(let credentials):
      let user = try valid { () throws(BackendError) in
        try backend.register(
          username: credentials.username, password: credentials.password, displayName: nil)
      }
      let role = user.role == .administrator ? ", the administrator" : ""
      return "Created \(user.username)\(role). Enter its password to log in."
    case .reauthenticate(let password):
      _ = try await reauthenticate(password)
      return "The password is confirmed."
    case .answer(let code): return try await answer(code)
    case .cancelAnswer:
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return "Nothing was changed."
    case .pay(let amount, let payee, let number):
      let receipt = try await pay(amount, to: payee, number)
      return "Paid \(receipt.amount) to \(receipt.payee). Receipt \(receipt.id)."
    case .rename(let name):
      let screen = try screens().profile
      try await change { [backend] () throws(LeaseError<BackendError>) in _ = try screen.rename(to: name, at: backend) }
      return "Your name is \(name) now."
    case .changePassword(let present, let new): return try await changePassword(present, to: new)
    case .revoke(let id):
      let screen = try screens().sessions
      let fresh = try fresh(screen.session)
      try await change { [backend] () throws(LeaseError<BackendError>) in
        try screen.revoke(id, with: fresh, at: backend)
      }
      return "Session \(id.rawValue) is ended."
    case .administer(let administration):
      code = try await administer(administration)
      return administration.done
    }
  }

  /// Asks the backend for a change, and looks what became of the session.
  private func change(
    _ question: @escaping () throws(LeaseError<BackendError>) -> Void
  ) async throws(CommandError) {
    try await ask(BackendCall(question))
    _ = await look()
  }

  private func administer(_ administration: Administration) async throws(CommandError) -> OneTimeCode? {
    let screen = try screens().accounts
    let administrator = try administrator(screen.session)
    let fresh = try fresh(screen.session)
    var code: OneTimeCode?
    try await change { [backend] () throws(LeaseError<BackendError>) in
      code = try screen.perform(administration, at: backend, for: administrator, fresh)
    }
    return code
  }

  private func press(_ shown: NavigationBar.Button, _ credentials: Credentials) async throws(CommandError) -> String {
    let pressed: NavigationBar.Pressed
    do throws(SessionError) {
      pressed = try await authority.ending { () throws(SessionError) in try await bar.press(shown) { credentials } }
    } catch {
      throw error == .credentialsNotAccepted ? .wrongCredentials : CommandError(error)
    }
    guard case .loggedIn(let session) = pressed else { throw Self.changedMeanwhile }
    return "Logged in as \(session.user.username)."
  }

  private func answer(_ code: Password) async throws(CommandError) -> String {
    guard case .challenged(let challenge, let before) = store.state else {
      throw CommandError(SessionError.rejected(.challengeOver))
    }
    do throws(SessionError) {
      let session = try await authority.ending { () throws(SessionError) in
        try await store.answer(code, to: challenge).session
      }
      return before == nil ? "Logged in as \(session.user.username)." : "The password is confirmed."
    } catch {
      if case .challenged = error { throw .wrongCode }
      throw CommandError(error)
    }
  }

  private func logOut() async throws(CommandError) -> String {
    switch try await authority.ending(pressLogOut) {
    case .complete, .alreadyLoggedOut: return "Logged out."
    case .partial(let leftovers, _):
      throw CommandError(
        .logoutIncomplete, "logged out on this device, but \(leftovers)",
        hint: "Remove the cause, then log out again: auth-cli logout")
    }
  }

  private func pressLogOut() async throws(CommandError) -> LogoutResult {
    guard let user = store.session?.user else { throw .notLoggedIn }
    let pressed: NavigationBar.Pressed
    do throws(SessionError) {
      pressed = try await bar.press(.logOut(user)) { nil }
    } catch {
      throw CommandError(error)
    }
    guard case .loggingOut(let pending) = pressed else { throw Self.changedMeanwhile }
    do throws(LogoutError) {
      return try await pending.value()
    } catch {
      throw CommandError(SessionError.cancelled)
    }
  }

  private static let changedMeanwhile = CommandError(
    .overtaken, "who is logged in changed at the same moment", hint: "Look, and try again.")

  private func reauthenticate(_ password: Password) async throws(CommandError) -> LoggedInSession {
    do throws(SessionError) {
      return try await store.confirm(password)
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

  private func valid<Value>(_ make: () throws(BackendError) -> Value) throws(CommandError) -> Value {
    do throws(BackendError) {
      return try make()
    } catch {
      throw CommandError(error)
    }
  }

  private func pay(_ amount: Amount, to payee: Username, _ number: Int) async throws(CommandError) -> Receipt {
    let screen = try screens().payment
    let order = try valid { () throws(BackendError) in
      PaymentOrder(amount: amount, payee: payee, key: try IdempotencyKey("app-\(run)-\(number)"))
    }
    let intent: PaymentIntent
    do throws(FreshnessError) {
      intent = try screen.prepare(order, at: backend)
    } catch {
      throw CommandError(error)
    }
    do throws(PaymentError) {
      return try await screen.submit(intent)
    } catch {
      switch error {
      case .anotherInProgress: throw CommandError(SessionError.overtaken)
      case .ended(let reason): throw .ended(reason)
      case .refused(let failure): throw CommandError(failure)
      }
    }
  }

  private func changePassword(_ present: Password, to new: Password) async throws(CommandError) -> String {
    guard let name = store.session?.user.username else { throw .notLoggedIn }
    try valid { () throws(BackendError) in try backend.check(newPassword: new, for: name) }
    // A fresh key proves the password and the code; the change checks the password again.
    guard let current = store.session else { throw .notLoggedIn }
    let fresh: FreshSession
    do throws(CommandError) {
      fresh = try self.fresh(current)
    } catch {
      guard error == .notFresh else { throw error }
      fresh = try self.fresh(try await reauthenticate(present))
    }
    let session = fresh.session
    try await ask(
      BackendCall { [backend] () throws(LeaseError<BackendError>) in
        _ = try session.withLease { (lease) throws(BackendError) in
          try backend.changePassword(from: present, to: new, for: fresh, under: lease)
        }
      })
    // The session goes on under a new token, for which the new password is the proof.
    _ = try await reauthenticate(new)
    return "Your password is changed. All your other sessions are ended."
  }
}
