import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

extension AppWork {
  /// Does it, and says what was done.
  func carryOut(_ action: AppAction) async throws(CommandError) -> AppOutcome {
    switch action {
    case .logIn(let credentials): return try await logIn(credentials)
    case .logOut: return try await logOut()
    case .register(let credentials): return try await register(credentials)
    case .recover(let name, let code, let password): return try await recover(name, code, password)
    case .makeRecoveryCodes:
      return try await changeFresh { (fresh, lease) throws(BackendError) in
        let codes = try backend.makeRecoveryCodes(for: fresh, under: lease)
        return AppOutcome("You have new recovery codes.", next: .show(.codes(codes.map(\.text))))
      }
    case .beginTwoStep:
      return try await changeFresh { (fresh, lease) throws(BackendError) in
        let secret = try backend.beginTwoStep(for: fresh, under: lease)
        let picture = Environment.hasOtherEncoding ? [] : QRCode.lines(secret.uri)
        return AppOutcome("", next: .fill(.confirmTwoStep(AppSecret(text: secret.text, picture: picture))))
      }
    case .confirmTwoStep(let code):
      return try await withCode { (fresh, lease) throws(BackendError) in
        try backend.confirmTwoStep(code, for: fresh, under: lease)
        // The step is on, whether or not the list of sessions can be read.
        let others = (try? backend.sessions(under: lease).count { !$0.isCurrent }) ?? 0
        return AppOutcome(
          "The second step is on. Make recovery codes now, in case you lose the device.",
          next: others == 0
            ? nil
            : .ask(AppQuestion("End \(SessionsScreen.others(others))? They started without a code.", .revokeOthers)))
      }
    case .endTwoStep(let code):
      return try await withCode { (fresh, lease) throws(BackendError) in
        try backend.endTwoStep(code, for: fresh, under: lease)
        return AppOutcome("The second step is off.")
      }
    case .deleteOwnAccount:
      return try await changeFresh { (fresh, lease) throws(BackendError) in
        try backend.deleteAccount(for: fresh, under: lease)
        return AppOutcome("Your account is deleted.")
      }
    case .reauthenticate(let password): return try await confirm(password)
    case .answer(let code): return try await answer(code)
    case .cancelAnswer:
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return AppOutcome("Nothing was changed.")
    case .pay(let amount, let payee, let number): return try await pay(amount, to: payee, number)
    case .changePassword(let present, let new): return try await changePassword(present, to: new)
    case .rename(let name):
      let screen = try screens().profile
      return try await change { () throws(LeaseError<BackendError>) in
        _ = try screen.rename(to: name, at: backend)
        return AppOutcome("Your name is \(name) now.")
      }
    case .revoke(let id):
      let screen = try screens().sessions
      let fresh = try fresh(screen.session)
      return try await change { () throws(LeaseError<BackendError>) in
        try screen.revoke(id, with: fresh, at: backend)
        return AppOutcome("Session \(id.rawValue) is ended.")
      }
    case .revokeOthers:
      let screen = try screens().sessions
      let fresh = try fresh(screen.session)
      return try await change { () throws(LeaseError<BackendError>) in
        let count = try screen.revokeOthers(with: fresh, at: backend)
        return AppOutcome(
          "Ended \(SessionsScreen.others(count)). Make recovery codes now, in case you lose the device.")
      }
    case .administer(let administration):
      let screen = try screens().accounts
      let administrator = try administrator(screen.session)
      let fresh = try fresh(screen.session)
      return try await change { () throws(LeaseError<BackendError>) in
        try screen.perform(administration, at: backend, for: administrator, fresh)
      }
    }
  }

  /// Changes something, and finds out what became of the session; where that cannot be found out,
  /// the next look says why.
  private func change(
    _ change: () throws(LeaseError<BackendError>) -> AppOutcome
  ) async throws(CommandError) -> AppOutcome {
    let outcome = try await store.asking(change)
    _ = await look()
    return outcome
  }

  private func logIn(_ credentials: Credentials) async throws(CommandError) -> AppOutcome {
    let pressed: NavigationBar.Pressed
    do throws(SessionError) {
      pressed = try await bar.press(.logIn) { credentials }
    } catch {
      // Nobody has to go elsewhere for a new password.
      let hint: Hint = "Check both and try again; after five wrong passwords in a row you must wait. Forgotten? Ctrl-R"
      throw error == .credentialsNotAccepted ? CommandError(code: .wrongCredentials, hint: hint) : CommandError(error)
    }
    switch pressed {
    case .loggedIn(let session): return AppOutcome("Logged in as \(session.user.username).")
    case .challenged: throw CommandError(code: .codeMissing)
    case .loggingOut, .nothing:
      throw CommandError(code: .loginOvertaken)
    }
  }

  private func logOut() async throws(CommandError) -> AppOutcome {
    guard let user = store.session?.user else { throw CommandError(code: .notLoggedIn) }
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
    case .complete, .alreadyLoggedOut: return AppOutcome("Logged out.")
    case .partial(let leftovers, _):
      throw CommandError(
        code: .logoutIncomplete, "\(leftovers)", hint: "Remove the cause, then log out again: \(run: "logout")")
    }
  }

  /// Changes something that needs a recent password.
  private func changeFresh(
    _ change: (FreshSession, borrowing SessionLease) throws(BackendError) -> AppOutcome
  ) async throws(CommandError) -> AppOutcome {
    guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
    let fresh = try fresh(session)
    return try await self.change { () throws(LeaseError<BackendError>) in
      try fresh.session.withLease { (lease) throws(BackendError) in try change(fresh, lease) }
    }
  }

  /// The same with a code: a wrong one is no wrong password.
  private func withCode(
    _ change: (FreshSession, borrowing SessionLease) throws(BackendError) -> AppOutcome
  ) async throws(CommandError) -> AppOutcome {
    do throws(CommandError) {
      return try await changeFresh(change)
    } catch {
      throw error == CommandError(code: .wrongPassword) ? CommandError(code: .wrongCode) : error
    }
  }

  private func register(_ credentials: Credentials) async throws(CommandError) -> AppOutcome {
    let user: User
    do throws(BackendError) {
      user = try backend.register(
        username: credentials.username, password: credentials.password, displayName: nil)
    } catch {
      throw CommandError(error)
    }
    let role = user.role == .administrator ? ", the administrator" : ""
    return await loggedIn(credentials, after: "Created \(user.username)\(role).")
  }

  private func recover(
    _ name: String, _ code: Secret, _ password: Secret
  ) async throws(CommandError) -> AppOutcome {
    do throws(BackendError) {
      try backend.check(newPassword: password, for: name)
      _ = try backend.recover(username: name, code: RecoveryCode(typed: code.bytes), password: password)
    } catch {
      throw CommandError(recovery: error)
    }
    let credentials = Credentials.password(username: name, password: password)
    return await loggedIn(credentials, after: "The new password is set; all sessions are ended.")
  }

  /// Logs in where that needs nothing else: what was done before stays done.
  private func loggedIn(_ credentials: Credentials, after done: String) async -> AppOutcome {
    do throws(CommandError) {
      return AppOutcome(done + " " + (try await logIn(credentials)).done)
    } catch {
      if case .challenged(let challenge, _) = store.state { store.cancel(challenge) }
      return AppOutcome(done + " Log in now.")
    }
  }

  private func confirm(_ password: Secret) async throws(CommandError) -> AppOutcome {
    let result: LoginResult
    do throws(SessionError) { result = try await store.confirm(password) } catch { throw CommandError(error) }
    if case .challenged = result { throw CommandError(code: .codeMissing) }
    return AppOutcome("The password is confirmed.")
  }

  /// Answers the open challenge.
  private func answer(_ code: Secret) async throws(CommandError) -> AppOutcome {
    guard case .challenged(let challenge, let before) = store.state else {
      throw CommandError(SessionError.rejected(.challengeOver))
    }
    let result: LoginResult
    do throws(SessionError) { result = try await store.answer(code, to: challenge) } catch { throw CommandError(error) }
    guard let user = result.session?.user else { throw CommandError(code: .wrongCode) }
    return AppOutcome(before == nil ? "Logged in as \(user.username)." : "The password is confirmed.")
  }

  private func fresh(_ session: LoggedInSession) throws(CommandError) -> FreshSession {
    do throws(FreshnessError) {
      return try FreshSession(session)
    } catch {
      throw CommandError(error)
    }
  }

  private func pay(_ amount: Amount, to payee: Username, _ number: Int) async throws(CommandError) -> AppOutcome {
    let screen = try screens().payment
    let key: IdempotencyKey
    do throws(BackendError) { key = try IdempotencyKey("app-\(run)-\(number)") } catch { throw CommandError(error) }
    let order = PaymentOrder(amount: amount, payee: payee, key: key)
    let receipt = try await store.pay(order, try fresh(screen.session), on: screen, at: backend)
    return AppOutcome("Paid \(receipt.amount) to \(receipt.payee). Receipt \(receipt.id).")
  }

  private func changePassword(_ present: Secret, to new: Secret) async throws(CommandError) -> AppOutcome {
    guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
    do throws(BackendError) {
      try backend.check(newPassword: new, for: session.user.username)
    } catch {
      throw CommandError(error)
    }
    // A fresh key proves the password and the code; the change checks the password again.
    if (try? FreshSession(session)) == nil { _ = try await confirm(present) }
    guard let session = store.session else { throw CommandError(code: .notLoggedIn) }
    let fresh = try fresh(session)
    _ = try await store.asking { () throws(LeaseError<BackendError>) in
      try session.withLease { (lease) throws(BackendError) in
        try backend.changePassword(from: present, to: new, for: fresh, under: lease)
      }
    }
    // The session goes on under a new token, for which the new password is the proof.
    _ = try await confirm(new)
    return AppOutcome("Your password is changed. All your other sessions are ended.")
  }
}

extension AppAction {
  /// Whether somebody asks to log in or out with it.
  var mayEndSession: Bool {
    switch self {
    case .logIn, .logOut, .answer, .register, .recover: true
    case .reauthenticate, .cancelAnswer, .pay, .rename, .changePassword, .revoke, .revokeOthers, .administer,
      .makeRecoveryCodes,
      .beginTwoStep, .confirmTwoStep, .endTwoStep, .deleteOwnAccount:
      false
    }
  }
}
