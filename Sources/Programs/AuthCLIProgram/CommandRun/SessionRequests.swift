import AuthAccounts
import AuthCore
import AuthMessages
import AuthScreens
import CommandLineKit
import TextFormat

// Commands and the full-screen program use the session at the authority only through these
// functions, and a failed lease becomes an error only here.

extension SessionStore {
  /// Runs `body`, which sends a request to the authority under a lease of the session.
  ///
  /// Another process may exchange the session's token at any moment, also between two requests of
  /// one command. Then the authority refuses the old token and changes nothing. The new token is in
  /// the session file by then, so this reads the file again and repeats the request. Each
  /// repetition means that another process has finished its exchange.
  private func asking<Value>(
    _ body: () async throws(LeaseError<BackendError>) -> Value
  ) async throws(CommandError) -> Value {
    while true {
      do throws(LeaseError<BackendError>) {
        return try await body()
      } catch {
        guard case .body(let failure) = error, failure.kind == .session(.superseded) else { throw CommandError(error) }
        try await explainedAsync { () throws(SessionError) in try await check() }
      }
    }
  }

  /// Sends a request to the authority under a lease of `session`.
  func ask<Value>(
    _ session: LoggedInSession, _ body: (borrowing SessionLease) throws(BackendError) -> Value
  ) async throws(CommandError) -> Value {
    try await asking { () throws(LeaseError<BackendError>) in try session.withLease(body) }
  }

  /// Loads a page; a search that stopped is continued until the page is full.
  ///
  /// Each part has a separate lease, so a logout waits for at most one part.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - session: The session whose page it is.
  ///   - report: Gets the place of each stop.
  ///   - load: Loads a part.
  /// - Returns: The page.
  /// - Throws: ``CommandError`` when a part cannot be loaded.
  func search<Item>(
    _ page: Page, of session: LoggedInSession, reporting report: (SearchStop) -> Void = { _ in },
    _ load: (Page, borrowing SessionLease) throws(BackendError) -> LoadedPage<Item>
  ) async throws(CommandError) -> LoadedPage<Item> {
    var loaded = try await ask(session) { (lease) throws(BackendError) in try load(page, lease) }
    while let stop = loaded.stop {
      report(stop)
      var rest = page
      (rest.before, rest.limit) = (stop.before, page.limit - loaded.items.count)
      loaded.append(try await ask(session) { [rest] (lease) throws(BackendError) in try load(rest, lease) })
    }
    return loaded
  }

  /// Changes the password, and continues the session with its new token.
  ///
  /// If something fails after the change, the error says that the password is changed, and whether
  /// the session is still active.
  func changePassword(
    from present: Secret, to new: Secret, _ fresh: FreshSession, at backend: any Backend
  ) async throws(CommandError) {
    let user = fresh.session.user
    let grant = try await ask(fresh.session) { (lease) throws(BackendError) in
      try backend.changePassword(from: present, to: new, for: fresh, under: lease)
    }
    do throws(SessionError) {
      try await adopt(grant)
      // The confirmation of the new token may have found that another process ended the session.
      if let endReason { throw .ended(endReason) }
    } catch {
      let isActive = session?.user.id == user.id
      // Another process exchanged the token first, and the session continues with that one.
      if isActive, error == .overtaken { return }
      throw CommandError(
        code: isActive ? .passwordChangedSessionKept : .passwordChangedSessionEnded, user.username.escaped,
        CommandError(error).message, user.username)
    }
  }

  /// Makes a payment, once and in full, or not at all.
  ///
  /// Not inlined: commands and the full-screen program have one copy of it.
  @inline(never)
  func pay(
    _ order: PaymentOrder, _ fresh: FreshSession, on screen: PaymentScreen, at backend: any Backend
  ) async throws(CommandError) -> Receipt {
    try await asking { () async throws(LeaseError<BackendError>) in
      try await screen.submit(backend.prepare(order, for: fresh))
    }
  }
}
