import AuthAccounts
import AuthCore
import AuthFullScreen
import AuthMessages
import CommandLineKit

extension AppWork {
  func perform(_ action: AppAction) async throws(CommandError) -> AppResult {
    guard action.traits.mayEndSession else { return try await carryOut(action) }
    backend.endings.begin()
    defer { backend.endings.finish() }
    return try await carryOut(action)
  }

  private func carryOut(_ action: AppAction) async throws(CommandError) -> AppResult {
    switch action {
    case .logIn(let credentials): return try await logIn(credentials)
    case .logOut(let user): return try await logOut(user)
    case .register(let credentials): return try register(credentials)
    case .recover(let name, let code, let password): return try recover(name, code, password)
    case .reauthenticate(let password): return try await verifyPassword(password)
    case .confirm, .renewAccess: throw CommandError(code: .notAtProvider, "\(context)")
    case .answer(let code): return try await answer(code)
    case .cancelAnswer:
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return AppResult(done: "Nothing was changed.")
    case .pay(let amount, let payee, let number): return try await pay(amount, to: payee, number)
    case .changePassword(let present, let new): return try await changePassword(present, to: new)
    case .rename(let name):
      return try await change(try loggedIn) { (lease) throws(BackendError) in
        _ = try backend.rename(to: name, under: lease)
        return AppResult(done: "Your name is \(name) now.")
      }
    case .change(let change):
      do throws(CommandError) {
        return try await changeFresh { (fresh, lease) throws(BackendError) in
          try change.perform(at: backend, fresh, under: lease)
        }
      } catch {
        if change == .revokeOthers, error.status == .cannotTell {
          throw error.withHint("Some of them may have ended; the Sessions tab lists the others.")
        }
        // These changes send no password, so the wrong guess was a code.
        throw error.isOfWrongGuess ? CommandError(code: .wrongCode).beginning(error.wait) : error
      }
    case .administer(let administration):
      let administrator = try loggedIn.administratorKey()
      if administration == .twoStep(.required),
        try await !store.ask(try loggedIn, { (lease) throws(BackendError) in try backend.twoStep(under: lease) }).isOn
      {
        throw CommandError(code: .ownStepMissing)
      }
      return try await changeFresh { (fresh, lease) throws(BackendError) in
        try administration.perform(at: backend, for: administrator, fresh, under: lease)
      }
    }
  }

  /// The session of the user who is logged in.
  private var loggedIn: LoggedInSession {
    get throws(CommandError) {
      guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
      return session
    }
  }

  /// Makes a change, and then checks the session; the next check repeats the report of a failure.
  private func change(
    _ session: LoggedInSession, _ change: (borrowing SessionLease) throws(BackendError) -> AppResult
  ) async throws(CommandError) -> AppResult {
    let outcome = try await store.ask(session, change)
    _ = await check()
    return outcome
  }

  /// Makes a change that needs a recent password.
  private func changeFresh(
    _ change: (FreshSession, borrowing SessionLease) throws(BackendError) -> AppResult
  ) async throws(CommandError) -> AppResult {
    let fresh = try fresh(try loggedIn)
    return try await self.change(fresh.session) { (lease) throws(BackendError) in try change(fresh, lease) }
  }

  private func logIn(_ credentials: Credentials) async throws(CommandError) -> AppResult {
    let pressed: NavigationBar.Pressed
    do throws(SessionError) {
      pressed = try await bar.press(.logIn) { credentials }
    } catch {
      // The hint names the key of this screen for a forgotten password.
      let hint: Hint = "Check both and try again; after five wrong passwords in a row you must wait. Forgotten? Ctrl-R"
      guard error == .credentialsNotAccepted else { throw CommandError(error) }
      throw CommandError(code: .wrongCredentials, hint: hint).beginning(backend.waitBegun)
    }
    switch pressed {
    case .loggedIn(let session): return AppResult(done: "Logged in as \(session.user.username).")
    case .challenged: throw CommandError(code: .codeMissing)
    case .loggingOut, .nothing: throw CommandError(code: .loginOvertaken)
    }
  }

  private func logOut(_ user: User) async throws(CommandError) -> AppResult {
    let result = try await explainedAsync { () async throws(SessionError) -> LogoutResult in
      guard case .loggingOut(let pending) = try await bar.press(.logOut(user), credentials: { nil }) else {
        throw .overtaken
      }
      do throws(LogoutError) { return try await pending.value() } catch { throw .cancelled }
    }
    switch result {
    case .complete, .alreadyLoggedOut: return AppResult(done: "Logged out.")
    case .withoutRevocation: return AppResult(done: "Logged out. \(LogOutCommand.notRevocable).")
    case .partial(let leftovers, let causes):
      throw LogOutCommand.incomplete(leftovers, causes, backend.policy)
    }
  }

  private func register(_ credentials: Credentials) throws(CommandError) -> AppResult {
    let user = try explained { () throws(BackendError) in
      try backend.register(username: credentials.username, password: credentials.password, displayName: nil)
    }
    let role = user.role == .administrator ? ", the administrator" : ""
    return notLoggedIn(after: "Created \(user.username)\(role).")
  }

  private func recover(_ name: String, _ code: Secret, _ password: Secret) throws(CommandError) -> AppResult {
    try explained { () throws(BackendError) in try backend.check(newPassword: password, for: name) }
    _ = try backend.setPassword(of: name, with: RecoveryCode(typed: code.bytes), to: password)
    return notLoggedIn(after: "The new password is set; all sessions are ended.")
  }

  /// The outcome of an action that does not log in, as the command for it does not.
  private func notLoggedIn(after done: String) -> AppResult {
    // Meanwhile another process may have logged in.
    AppResult(done: done + (store.session == nil ? " Log in now." : ""))
  }

  private func verifyPassword(_ password: Secret) async throws(CommandError) -> AppResult {
    let session = try loggedIn
    let result: LoginResult
    do throws(SessionError) {
      result = try await store.verifyPassword(of: session, password)
    } catch {
      throw CommandError(error).beginning(error == .credentialsNotAccepted ? backend.waitBegun : nil)
    }
    if case .challenged = result { throw CommandError(code: .codeMissing) }
    return AppResult(done: "The password is confirmed.")
  }

  /// Answers the open challenge.
  private func answer(_ code: Secret) async throws(CommandError) -> AppResult {
    guard case .challenged(let challenge, let before) = store.state else {
      throw CommandError(SessionError.rejected(.challengeOver))
    }
    let result = try await explainedAsync { () throws(SessionError) in try await store.answer(code, to: challenge) }
    guard let user = result.session?.user else { throw CommandError(code: .wrongCode) }
    return AppResult(done: before == nil ? "Logged in as \(user.username)." : "The password is confirmed.")
  }

  private func pay(_ amount: Amount, to payee: Username, _ number: Int) async throws(CommandError) -> AppResult {
    let screen = try screens().payment
    let key = try explained { () throws(BackendError) in try IdempotencyKey("app-\(run)-\(number)-\(amount)-\(payee)") }
    let order = PaymentOrder(amount: amount, payee: payee, key: key)
    let receipt = try await store.pay(order, try fresh(screen.session), on: screen, at: backend)
    return AppResult(done: "Paid \(receipt.amount) to \(receipt.payee). Receipt \(receipt.id).")
  }

  private func changePassword(_ present: Secret, to new: Secret) async throws(CommandError) -> AppResult {
    let session = try loggedIn
    try explained { () throws(BackendError) in try backend.check(newPassword: new, for: session.user.username) }
    // Confirm the login first if it is not recent; the change itself checks only the password.
    if (try? FreshSession(session)) == nil { _ = try await verifyPassword(present) }
    try await store.changePassword(from: present, to: new, try fresh(try loggedIn), at: backend)
    return AppResult(done: "Your password is changed. All your other sessions are ended.")
  }
}
