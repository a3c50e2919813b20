public import AuthBackend
public import AuthCore
import AuthDevice

/// What a session can do, by its token.
extension PostgresBackend {
  /// See ``AuthBackend/Backend/register(username:password:displayName:)``.
  public func register(
    username: String, password: Password, displayName: String? = nil
  ) throws(BackendError) -> User {
    let name = try Username(username)
    let shown = try DisplayName(displayName ?? username)
    let accepted = try PasswordPolicy.accept(password, for: name)
    try check(free: name)
    let hash = try hasher.hash(accepted)
    let answer = try server.first(
      try server.call(
        "register",
        [
          .text(name.canonical), .text(shown.text), .text(Self.setting(of: hash)),
          .bytes(SHA256.hash(Array(hash.utf8))),
        ], .repeatable))
    try take(answer)
    try requireFree(name, answer)
    return try user(answer, from: 2)
  }

  package func check(free name: Username) throws(BackendError) {
    let answer = try server.first(try server.call("check_name", [.text(name.canonical)], .none))
    try take(answer)
    try requireFree(name, answer)
  }

  func requireFree(_ name: Username, _ answer: Answer) throws(BackendError) {
    switch answer.text(0) {
    case "username_taken": throw .usernameTaken(name)
    case "registration_closed": throw .registrationClosed
    case _: break
    }
  }

  package func profile(token: SessionToken) throws(BackendError) -> Profile {
    try profile(try call("profile", token, [], .none))
  }

  package func rename(to typed: String, token: SessionToken) throws(BackendError) -> Profile {
    let name = try DisplayName(typed)
    return try profile(try call("rename", token, [.text(name.text)], .once))
  }

  private func profile(_ answers: [Answer]) throws(BackendError) -> Profile {
    let answer = try server.first(answers)
    guard let balance = answer.number(6), let created = answer.number(7) else { throw server.malformed() }
    return Profile(
      user: try user(answer, from: 2), balance: balance, createdAt: WallTime(microseconds: created))
  }

  package func sessions(token: SessionToken) throws(BackendError) -> [SessionSummary] {
    var sessions: [SessionSummary] = []
    for answer in try call("sessions", token, [], .none) {
      guard let id = answer.text(2), let created = answer.number(5), let active = answer.number(6),
        let idle = answer.number(7), let absolute = answer.number(8), let fresh = answer.number(9)
      else { throw server.malformed() }
      let database = try server.identify()
      func instant(_ nanoseconds: Int64) -> Deadline {
        .at(BootInstant(boot: database, uptime: .nanoseconds(nanoseconds)))
      }
      sessions.append(
        SessionSummary(
          id: SessionID(rawValue: id), isCurrent: answer.flag(3), label: answer.text(4), origin: origin(answer),
          createdAt: WallTime(microseconds: created), activeAt: WallTime(microseconds: active),
          limits: SessionLimits(idle: instant(idle), absolute: instant(absolute), fresh: instant(fresh))))
    }
    return sessions
  }

  private func origin(_ answer: Answer) -> SessionOrigin? {
    let parts = (answer.text(10), answer.text(11), answer.text(12))
    return parts == (nil, nil, nil) ? nil : SessionOrigin(terminal: parts.0, program: parts.1, host: parts.2)
  }

  package func revokeSession(_ id: SessionID, token: SessionToken) throws(BackendError) {
    let answer = try server.first(try call("revoke_session", token, [.text(id.rawValue)], .once))
    if answer.text(0) == "session_not_found" { throw .sessionNotFound(id) }
  }

  package func endAllSessions(token: SessionToken) throws(BackendError) -> Int {
    let answer = try server.first(try call("end_all_sessions", token, [], .once))
    return Int(answer.number(2) ?? 0)
  }

  // MARK: - Payments

  /// Pays, repeating the call until it is answered or the limit is over: a key makes that safe, and
  /// a payment without one gets one here.
  package func pay(_ order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt {
    let key: String
    if let given = order.key { key = given.description } else { key = "auto-" + (try Secrets.randomName(length: 20)) }
    let answer = try server.first(
      try call(
        "pay", token,
        [
          .text(order.payee.canonical), .number(order.amount.minorUnits), .text(key), .flag(order.key != nil),
        ], .repeatable, key: key))
    return try receipt(answer, of: order)
  }

  package func earlierPayment(of order: PaymentOrder, token: SessionToken) throws(BackendError) -> Receipt? {
    guard let key = order.key else { return nil }
    let answer = try server.first(
      try call(
        "earlier_payment", token,
        [.text(order.payee.canonical), .number(order.amount.minorUnits), .text(key.description)], .none))
    return answer.text(0) == "none" ? nil : try receipt(answer, of: order)
  }

  package func receipts(
    within times: TimeSpan = .all, before: Int64? = nil, limit: Int = 50, token: SessionToken
  ) throws(BackendError) -> [Receipt] {
    var receipts: [Receipt] = []
    let arguments: [Argument] = [
      .number(times.since?.microseconds), .number(times.until?.microseconds), .number(before), .number(Int64(limit)),
    ]
    for answer in try call("receipts", token, arguments, .none) {
      receipts.append(try receipt(answer, key: answer.text(8)))
    }
    return receipts
  }

  private func receipt(_ answer: Answer, of order: PaymentOrder) throws(BackendError) -> Receipt {
    switch answer.text(0) {
    case "ok":
      let receipt = try receipt(answer, key: order.key?.description)
      // Under a key that was made here, it is this payment whose first answer was lost.
      return answer.number(2) == 1 && order.key != nil ? receipt.asRepetition : receipt
    case "idempotency_key_reused":
      guard let key = order.key else { throw server.malformed() }
      throw .idempotencyKeyReused(key, for: try receipt(answer, key: key.description))
    case "insufficient_funds": throw .insufficientFunds(balance: answer.number(2) ?? 0, for: order.amount)
    case "payee_full": throw .payeeFull
    case "payee_unknown": throw .payeeUnknown(order.payee)
    case "payee_is_payer": throw .payeeIsPayer
    case "payee_disabled": throw .payeeDisabled(order.payee)
    case _: throw server.malformed()
    }
  }

  private func receipt(_ answer: Answer, key: String?) throws(BackendError) -> Receipt {
    guard let id = answer.number(3), let payee = answer.text(5), let amount = answer.number(6),
      let made = answer.number(7)
    else { throw server.malformed() }
    return Receipt(
      id: id, payer: DeletedAccount.shown(answer.text(4)), payee: DeletedAccount.shown(payee) ?? payee,
      amount: try Amount(minorUnits: amount),
      madeAt: WallTime(microseconds: made), key: key)
  }

  // MARK: - Events and administration

  package func events(
    _ scope: EventScope = .own, within times: TimeSpan = .all, before: Int64? = nil, limit: Int = 50,
    token: SessionToken
  ) throws(BackendError) -> [Event] {
    var events: [Event] = []
    let arguments: [Argument] = [
      .flag(scope == .everyone), .number(times.since?.microseconds), .number(times.until?.microseconds),
      .number(before), .number(Int64(limit)),
    ]
    for answer in try call("events", token, arguments, .none) {
      guard let id = answer.number(2), let at = answer.number(3), let name = answer.text(4) else {
        throw server.malformed()
      }
      events.append(
        Event(
          id: id, at: WallTime(microseconds: at), name: name, account: DeletedAccount.shown(answer.text(5)),
          actor: DeletedAccount.shown(answer.text(6)),
          session: answer.text(7).map { .named(SessionID(rawValue: $0)) }, detail: answer.text(8)))
    }
    return events
  }

  package func accounts(_ query: AccountsQuery, token: SessionToken) throws(BackendError) -> [AccountSummary] {
    guard query.order == .name else {
      throw BackendError(.invalid, "order_not_available", "This database lists accounts by name only.", hint: "")
    }
    let (from, to) = query.names
    var accounts: [AccountSummary] = []
    // The function wants the name to begin after: `caq~` is before `car`, and no name is between.
    var before = from
    if let last = before.unicodeScalars.popLast(), last.isASCII, last.value > 0 {
      before.unicodeScalars.append(contentsOf: [Unicode.Scalar(UInt8(last.value - 1)), "~"])
    }
    for answer in try call(
      "accounts", token, [.text(max(query.after ?? "", before)), .number(Int64(query.limit))], .none)
    {
      accounts.append(try summary(answer))
    }
    return accounts.filter { $0.user.username >= from && $0.user.username < to }
  }

  package func account(named name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try account(name, try call("account", token, [.text(name.canonical)], .none))
  }

  package func setDisabled(
    _ disabled: Bool, account name: Username, token: SessionToken
  ) throws(BackendError) -> AccountSummary {
    try account(name, try call("set_disabled", token, [.text(name.canonical), .flag(disabled)], .once))
  }

  package func setRole(_ role: Role, account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary
  {
    try account(name, try call("set_role", token, [.text(name.canonical), .text(role.rawValue)], .once))
  }

  package func unlock(account name: Username, token: SessionToken) throws(BackendError) -> AccountSummary {
    try account(name, try call("unlock", token, [.text(name.canonical)], .once))
  }

  package func noteView(of subject: String, token: SessionToken) throws(BackendError) {
    _ = try call("note_view", token, [.text(subject)], .once)
  }

  private func account(_ name: Username, _ answers: [Answer]) throws(BackendError) -> AccountSummary {
    let answer = try server.first(answers)
    switch answer.text(0) {
    case "account_not_found": throw .accountNotFound(name)
    case "last_administrator": throw .lastAdministrator(name.canonical)
    case _: return try summary(answer)
    }
  }

  private func summary(_ answer: Answer) throws(BackendError) -> AccountSummary {
    guard let created = answer.number(7), let attempts = answer.number(8) else { throw server.malformed() }
    let throttle: Throttle?
    switch answer.text(9) {
    case "hear": throttle = nil
    case "locked": throttle = .locked
    case "wait", "retry": throttle = .wait(.nanoseconds(answer.number(10) ?? 0))
    case _: throw server.malformed()
    }
    return AccountSummary(
      user: try user(answer, from: 2), isDisabled: answer.flag(6), createdAt: WallTime(microseconds: created),
      failedAttempts: attempts, throttle: throttle, hasSecondStep: answer.flag(11))
  }
}
