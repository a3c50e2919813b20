import AuthBackend
import AuthCore
import Guards

/// A request that may suspend.
indirect enum AppRequest: Sendable {
  /// Find out whether somebody is logged in, or what became of the session.
  case look
  /// Note that the user is active.
  case renew
  case confirm(Password)
  case logIn(Credentials)
  case logOut
  /// Answer the open challenge with the code.
  case answer(Password)
  case pay(PaymentOrder, FreshSession, PaymentScreen)
  case backend(@Sendable () throws(LeaseError<BackendError>) -> AppAnswer)
}

/// What came of a request.
final class AppAnswer: Sendable {
  /// What was done, as a sentence.
  let done: String
  /// The code that was made, if one was.
  let code: OneTimeCode?
  /// The page that was asked for.
  let page: AppPage?

  init(_ done: String = "", code: OneTimeCode? = nil, page: AppPage? = nil) {
    (self.done, self.code, self.page) = (done, code, page)
  }
}

extension AppWork {
  /// Has it done, and waits for the answer.
  ///
  /// The rest of this class runs from its beginning to its end on one thread, because a function
  /// that may suspend is made of many parts, and larger.
  @discardableResult
  func ask(_ request: AppRequest) throws(CommandError) -> AppAnswer {
    let reply = Reply()
    Task.immediateDetached { [self] in
      do throws(CommandError) {
        reply.give(.success(try await answer(request)))
      } catch {
        reply.give(.failure(error))
      }
    }
    return try reply.take().get()
  }

  private func answer(_ request: AppRequest) async throws(CommandError) -> AppAnswer {
    switch request {
    case .look:
      if let problem = await look() { throw problem }
      return AppAnswer()
    case .renew:
      do throws(SessionError) { _ = try await store.renew() } catch { throw CommandError(error) }
      return AppAnswer()
    case .confirm(let password):
      do throws(SessionError) { _ = try await store.confirm(password) } catch { throw CommandError(error) }
      return AppAnswer("The password is confirmed.")
    case .logIn(let credentials):
      let pressed: NavigationBar.Pressed
      do throws(SessionError) {
        pressed = try await bar.press(.logIn) { credentials }
      } catch {
        throw error == .credentialsNotAccepted ? .wrongCredentials : CommandError(error)
      }
      guard case .loggedIn(let session) = pressed else {
        throw CommandError(.overtaken, "who is logged in changed at the same moment", hint: "Look, and try again.")
      }
      return AppAnswer("Logged in as \(session.user.username).")
    case .logOut: return try await logOut()
    case .answer(let code):
      guard case .challenged(let challenge, let before) = store.state else {
        throw CommandError(SessionError.rejected(.challengeOver))
      }
      do throws(SessionError) {
        let user = try await store.answer(code, to: challenge).session.user
        return AppAnswer(before == nil ? "Logged in as \(user.username)." : "The password is confirmed.")
      } catch {
        if case .challenged = error { throw .wrongCode }
        throw CommandError(error)
      }
    case .pay(let order, let fresh, let screen):
      let receipt = try await store.pay(order, fresh, on: screen, at: backend)
      return AppAnswer("Paid \(receipt.amount) to \(receipt.payee). Receipt \(receipt.id).")
    case .backend(let question): return try await store.asking(question)
    }
  }

  private func logOut() async throws(CommandError) -> AppAnswer {
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
    case .complete, .alreadyLoggedOut: return AppAnswer("Logged out.")
    case .partial(let leftovers, _):
      throw CommandError(
        .logoutIncomplete, "logged out on this device, but \(leftovers)",
        hint: "Remove the cause, then log out again: auth-cli logout")
    }
  }
}

/// The answer to a request, for the thread that waits for it.
private final class Reply: Sendable {
  private let result = Locked(Result<AppAnswer, CommandError>.success(AppAnswer()))
  private let isThere = Signal()

  func give(_ result: Result<AppAnswer, CommandError>) {
    self.result.withLock { $0 = result }
    isThere.send()
  }

  func take() -> Result<AppAnswer, CommandError> {
    isThere.wait()
    return result.withLock { $0 }
  }
}
