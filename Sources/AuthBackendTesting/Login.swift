import AuthBackend
import AuthCore
import AuthCoreTesting

/// A login with its first keys.
struct Login {
  let backend: any Backend
  /// Keeps the keys alive.
  let store: SessionStore
  let session: LoggedInSession
  let fresh: FreshSession
  let administrator: AdminSession?
  let token: SessionToken

  /// Runs an operation under a lease of this session.
  func run<Value>(_ body: (borrowing SessionLease) throws -> Value) throws -> Answer<Value> {
    do {
      return .success(try session.withLease(body))
    } catch {
      return .failure(try refusal(error))
    }
  }

  /// The error of the backend; a refused lease is a breach.
  private func refusal(_ error: any Error) throws -> BackendError {
    switch error {
    case LeaseError<any Error>.body(let error as BackendError), LeaseError<BackendError>.body(let error): return error
    default: throw Breach("the key of \(session.user.username) died in this process: \(error)")
    }
  }

  func profile() throws -> Answer<Profile> {
    try run { lease in try backend.profile(under: lease) }
  }

  func balance() throws -> Int64 { try profile().value("profile").balance }

  func rename(_ name: String) throws -> Answer<Profile> {
    try run { lease in try backend.rename(to: name, under: lease) }
  }

  func changePassword(_ present: Secret, _ new: Secret, keys: Login? = nil) throws -> Answer<Grant> {
    try run { lease in try backend.changePassword(from: present, to: new, for: (keys ?? self).fresh, under: lease) }
  }

  func sessions() throws -> Answer<[SessionSummary]> {
    try run { lease in try backend.sessions(under: lease) }
  }

  func revoke(_ id: SessionID, keys: Login? = nil) throws -> Answer<Void> {
    try run { lease in try backend.revokeSession(id, for: (keys ?? self).fresh, under: lease) }
  }

  func endAll() throws -> Answer<Int> {
    try run { lease in try backend.endAllSessions(under: lease) }
  }

  func earlierPayment(_ order: PaymentOrder) throws -> Answer<Receipt?> {
    try run { lease in try backend.earlierPayment(of: order, under: lease) }
  }

  func pay(_ order: PaymentOrder, keys: Login? = nil) async throws -> Answer<Receipt> {
    let intent = backend.prepare(order, for: (keys ?? self).fresh)
    do {
      return .success(
        try await session.withLease(using: intent) {
          (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
          try await intent.submit(under: lease)
        })
    } catch {
      return .failure(try refusal(error))
    }
  }

  func receipts(
    within times: TimeSpan = .all, matching text: String = "", before: Int64? = nil, limit: Int = 50
  ) throws -> Answer<[Receipt]> {
    try run { lease in try backend.receipts(within: times, matching: text, before: before, limit: limit, under: lease) }
  }

  func events(
    since: WallTime? = nil, until: WallTime? = nil, matching text: String = "", before: Int64? = nil, limit: Int = 50
  ) throws -> Answer<[Event]> {
    let times = TimeSpan(since: since, until: until)
    return try run { lease in
      try backend.events(within: times, matching: text, before: before, limit: limit, under: lease)
    }
  }

  func allEvents(
    since: WallTime? = nil, until: WallTime? = nil, matching text: String = "", before: Int64? = nil, limit: Int = 50,
    keys: Login? = nil
  ) throws -> Answer<[Event]> {
    let times = TimeSpan(since: since, until: until)
    return try administer(keys) { role, lease in
      try backend.allEvents(within: times, matching: text, before: before, limit: limit, for: role, under: lease)
    }
  }

  func accounts(
    _ query: AccountsQuery = AccountsQuery(limit: 50), keys: Login? = nil
  ) throws -> Answer<[AccountSummary]> {
    try administer(keys) { role, lease in try backend.accounts(query, for: role, under: lease) }
  }

  func account(_ name: Username, keys: Login? = nil) throws -> Answer<AccountSummary> {
    try administer(keys) { role, lease in try backend.account(named: name, for: role, under: lease) }
  }

  func setDisabled(
    _ disabled: Bool, _ name: Username, keys: Login? = nil, fresh: Login? = nil
  ) throws -> Answer<AccountSummary> {
    try administer(keys) { role, lease in
      try backend.setDisabled(disabled, account: name, for: role, (fresh ?? self).fresh, under: lease)
    }
  }

  func unlock(_ name: Username, keys: Login? = nil, fresh: Login? = nil) throws -> Answer<AccountSummary> {
    try administer(keys) { role, lease in
      try backend.unlock(account: name, for: role, (fresh ?? self).fresh, under: lease)
    }
  }

  func noteView(_ subject: String, keys: Login? = nil) throws -> Answer<Void> {
    try administer(keys) { role, lease in try backend.noteView(of: subject, for: role, under: lease) }
  }

  func makeRecoveryCodes(keys: Login? = nil) throws -> Answer<[RecoveryCode]> {
    try run { lease in try backend.makeRecoveryCodes(for: (keys ?? self).fresh, under: lease) }
  }

  func twoStep() throws -> Answer<TwoStepState> {
    try run { lease in try backend.twoStep(under: lease) }
  }

  func beginTwoStep(keys: Login? = nil) throws -> Answer<TwoStepSecret> {
    try run { lease in try backend.beginTwoStep(for: (keys ?? self).fresh, under: lease) }
  }

  func confirmTwoStep(_ code: Secret, keys: Login? = nil) throws -> Answer<Void> {
    try run { lease in try backend.confirmTwoStep(code, for: (keys ?? self).fresh, under: lease) }
  }

  func endTwoStep(_ code: Secret, keys: Login? = nil) throws -> Answer<Void> {
    try run { lease in try backend.endTwoStep(code, for: (keys ?? self).fresh, under: lease) }
  }

  func twoStepPolicy(keys: Login? = nil) throws -> Answer<TwoStepPolicy> {
    try administer(keys) { role, lease in try backend.twoStepPolicy(for: role, under: lease) }
  }

  func setTwoStepPolicy(_ policy: TwoStepPolicy, keys: Login? = nil) throws -> Answer<Void> {
    try administer(keys) { role, lease in
      try backend.setTwoStepPolicy(policy, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func deleteAccount(keys: Login? = nil) throws -> Answer<Void> {
    try run { lease in try backend.deleteAccount(for: (keys ?? self).fresh, under: lease) }
  }

  func resetPassword(_ name: Username, keys: Login? = nil) throws -> Answer<OneTimeCode> {
    try administer(keys) { role, lease in
      try backend.resetPassword(of: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func setRole(_ new: Role, _ name: Username, keys: Login? = nil) throws -> Answer<AccountSummary> {
    try administer(keys) { role, lease in
      try backend.setRole(new, account: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func deleteAccount(_ name: Username, keys: Login? = nil) throws -> Answer<Void> {
    try administer(keys) { role, lease in
      try backend.deleteAccount(name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func registration(keys: Login? = nil) throws -> Answer<Registration> {
    try administer(keys) { role, lease in try backend.registration(for: role, under: lease) }
  }

  func setRegistration(_ registration: Registration, keys: Login? = nil) throws -> Answer<Void> {
    try administer(keys) { role, lease in
      try backend.setRegistration(registration, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  func registerOther(_ name: String, keys: Login? = nil) throws -> Answer<OneTimeCode> {
    try administer(keys) { role, lease in
      try backend.registerOther(username: name, for: role, (keys ?? self).fresh, under: lease)
    }
  }

  /// Runs an administrator operation, with the role of `keys` or of this login.
  private func administer<Value>(
    _ keys: Login?, _ body: (AdminSession, borrowing SessionLease) throws -> Value
  ) throws -> Answer<Value> {
    let claimant = keys ?? self
    guard let role = claimant.administrator else {
      throw Breach("\(claimant.session.user.username) is not an administrator")
    }
    return try run { try body(role, $0) }
  }
}
