import AuthBackend
import AuthBackendTesting
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Foundation
import Testing

@Suite("The contract of backends finds what is broken")
struct BrokenBackendTests {
  @Test("every broken backend is found", arguments: BrokenBackend.Flaw.allCases)
  func flaws(flaw: BrokenBackend.Flaw) async throws {
    let check = try #require(BackendContract.checks.first { $0.name == flaw.rawValue })
    let sound = await check.run(on: Workspace().backendSubject())
    #expect(sound == nil)
    let violation = await check.run(on: Workspace().backendSubject { BrokenBackend(base: $0, flaw: flaw) })
    #expect(violation?.check == check.name)
  }

  @Test("every check has a broken backend that fails it") func everyCheck() {
    let found = Set(BrokenBackend.Flaw.allCases.map(\.rawValue))
    #expect(Set(BackendContract.checks.map(\.name)).subtracting(found) == [], "add a flaw to BrokenBackend")
  }

  @Test("the contract tries each operation that takes a lease, with the keys that it takes") func operations() throws {
    let sources = Workspace.repository + "/Sources/"
    let backend = try String(contentsOfFile: sources + "AuthBackend/Backend.swift", encoding: .utf8)
    let declared = backend.split(separator: "\n  func ").dropFirst().compactMap { text -> String? in
      let declaration = String(text.split(separator: "\n\n")[0])
      guard declaration.contains("under lease:") else { return nil }
      let role = declaration.contains("AdminSession") ? " role" : ""
      let isFresh = declaration.contains("FreshSession") || declaration.contains("PaymentIntent")
      return declaration.prefix { $0 != "(" } + role + (isFresh ? " freshness" : "")
    }
    let contract = try String(
      contentsOfFile: sources + "AuthBackendTesting/BackendContract+Keys.swift", encoding: .utf8)
    let tried = contract.matches(of: /Operation\("(?<name>\w+)[^"]*"(?:, \[(?<needs>[^\]]*)\])?\)/).map { match in
      let needs = match.needs ?? ""
      return String(match.name) + (needs.contains(".role") ? " role" : "")
        + (needs.contains(".freshness") ? " freshness" : "")
    }
    #expect(declared.count > 25)
    let others = Set(tried).symmetricDifference(declared)
    #expect(others == [], "in `Backend` or in `Operation.all`, and not with the same keys in both")
  }

  @Test("names of checks are unique") func names() {
    #expect(Set(BackendContract.checks.map(\.name)).count == BackendContract.checks.count)
  }
}

/// A backend that breaks one rule.
struct BrokenBackend: Backend {
  /// The flaws, each with the check that finds it.
  enum Flaw: String, CaseIterable {
    case acceptsAnyKey = "a key of another session than the lease's is refused"
    case paysTwice = "a repeated order under the same key is paid once, and asks for nothing again"
    case reversesSessions = "sessions are the user's own live ones, newest first"
    case ignoresPage = "receipts come newest first, in pages"
    case ignoresSince = "events of an account come newest first, in pages, and since a time"
    case reversesAccounts = "accounts come in the order of their names, in pages"
    case ignoresTextOfReceipts = "receipts can be filtered by a text in their number, amount or other name"
    case ignoresTextOfEvents = "events can be filtered by a text in their columns"
    case ignoresPrefix = "accounts can be listed by the prefix of their names"
    case ignoresOrder = "accounts can be listed by their last login"
    case looksUpNothing = "lookUp knows the present token of a live session and no other"
    case neverDisables = "a disabled account's sessions end, and its password looks wrong until it is enabled"
    case believesTheRole =
      "an administrator's operation needs the role, whatever the key says, and a refusal is an event"
    case forgetsToNote = "an administrator sees every account's events, and that others were looked at"
    case neverUnlocks = "a hundred failures lock an account, not its sessions, and an administrator unlocks it"
    case neverTellsOfChanges = "a change can be waited for"
    case checksNoName = "a name that is taken or not accepted is refused, by the check and by the registration"
    case checksNoPassword = "a password that breaks a rule is refused, by the check, the registration and the change"
    case renamesNothing = "a rename answers the account as changed, and the next look has it"
    case reauthenticatesNothing = "a changed password opens the account, and the old one does not"
    case countsWrongly = "ending all sessions counts them, ends this one too, and leaves others'"
    case revokesNothing = "a session can be revoked by its name, by its user only"
    case otherPolicy = "limits are those of the policy, on the backend's clock"
    case usesCodesTwice = "a recovery code sets a new password once, however it is typed, and ends the sessions"
    case refusesLate = "a recovery refuses the present password as the new one, and its code can still be used"
    case makesNineCodes = "new recovery codes take the place of the old ones, and there are ten"
    case countsNoCodes = "every code that opens nothing gets one answer, and counts as a wrong password does"
    case opensDisabled = "a code opens an account that waits or is locked, and none that is disabled"
    case takesAnyPassword = "a new password for a code keeps the rules of passwords, and a bad one uses up no code"
    case resetsForTooLong = "a reset makes a code that works for an hour, the newest only, and changes nothing before"
    case keepsCodes = "a changed password voids a one-time code"
    case ownsNothing = "the owner of the database resets a password without a session, and the event says so"
    case promotesNobody = "a role can be given and taken away, and a session follows at once"
    case demotesTheLast = "the last administrator cannot be demoted or deleted"
    case neverCloses =
      "a closed registration admits only whom an administrator registers, and needs no code to open"
    case deletesNothing =
      "a deleted account is gone with its sessions, its payments stay, and its name is not given again"
    case deletesNobody = "an administrator deletes another account"
    case ignoresTimes = "receipts of a time begin at its first moment and end before its last"
    case opensWithAnyCode = "a second step begins with a right code, and a code opens once"
    case keepsRecoveryCodes = "a recovery code takes the place of a code once, and a new password turns nothing off"
    case countsNoSteps = "wrong codes count as wrong passwords do, and the right password alone resets nothing"
    case forgetsNoChallenge = "a new password, a disabled account and a turned-off second step end a challenge"
    case requiresNoStep = "an administrator who must have a second step can do nothing else before"
    case takesAnyDisplayName = "a display name that cannot be shown is refused"
    case refusesLogins = "a login can be checked before a password is typed"
    case refusesNames = "a name can be checked before any account exists"
    case makesAdministrators = "the first account is an administrator's and no later one is"
    case disablesTheLast = "the last administrator cannot be disabled"
    case notesWhenEnded = "a session that was ended elsewhere is refused, though its key is live here"
    case notesPastLimits = "a session past a limit is refused with that limit"
    case unlocksAnyTime = "an operation that needs a fresh password is refused when that was too long ago"
    case paysEachOfMany = "many at once with one key pay once, and each gets the receipt"
    case forgetsOrders = "a key that was used for another order is refused; another payer may use it"
    case namesNoRule = "a payment that a rule forbids moves nothing"
    case changesToTheSame = "a change needs the present password, and one that differs from it"
    case opensEmpty = "a profile is the account of the session, opened with 100.00"
    case hidesFromPayee = "a payment moves both balances, and both see the receipt"
    case countsReading = "a payment is activity, and reading is none"
    case hidesWaits = "five failures are free; then even the right password waits, and a success forgets them"
    case letsAllWin = "of many at once one takes a name, one changes a password and one uses a code"
    case hidesFaults = "a backend that cannot answer says so in every operation"
  }

  let base: LocalAuthority
  let flaw: Flaw

  var clock: any SessionClock { base.clock }

  var policy: SessionPolicy {
    flaw == .otherPolicy
      ? SessionPolicy(idle: .seconds(60), absolute: .seconds(120), fresh: .seconds(30)) : base.policy
  }

  var issuer: TokenIssuer { base.issuer }

  var connection: BackendConnection? { base.connection }

  func lookUp(_ token: SessionToken) throws(BackendError) -> Grant? {
    switch flaw {
    case .looksUpNothing: return nil
    case .hidesFaults: return try? base.lookUp(token)
    default: return try base.lookUp(token)
    }
  }

  func changes() throws(BackendError) -> any ChangeSource {
    flaw == .neverTellsOfChanges ? DeafSource() : try base.changes()
  }

  func check(newUsername username: String) throws(BackendError) {
    if flaw == .refusesNames { throw .notFresh }
    if flaw != .checksNoName { try base.check(newUsername: username) }
  }

  func check(newPassword password: Secret, for username: String) throws(BackendError) {
    if flaw != .checksNoPassword { try base.check(newPassword: password, for: username) }
  }

  func checkForLogins() throws(BackendError) {
    if flaw == .refusesLogins { throw .notFresh }
    try base.checkForLogins()
  }

  func register(username: String, password: Secret, displayName: String?) throws(BackendError) -> User {
    let user: User
    do {
      user = try base.register(
        username: username, password: password, displayName: flaw == .takesAnyDisplayName ? nil : displayName)
    } catch {
      guard flaw == .letsAllWin, error.code == BackendError.Code.usernameTaken.rawValue else { throw error }
      return User(id: UserID(rawValue: "u3"), username: username, displayName: username, role: .member)
    }
    if flaw != .makesAdministrators { return user }
    return User(id: user.id, username: user.username, displayName: user.displayName, role: .administrator)
  }

  func profile(under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    // A change is activity.
    if flaw == .countsReading { return try base.rename(to: lease.user.displayName, under: lease) }
    let profile = try base.profile(under: lease)
    return flaw == .opensEmpty ? Profile(user: profile.user, balance: 0, createdAt: profile.createdAt) : profile
  }

  func rename(to name: String, under lease: borrowing SessionLease) throws(BackendError) -> Profile {
    flaw == .renamesNothing ? try base.profile(under: lease) : try base.rename(to: name, under: lease)
  }

  func changePassword(
    from present: Secret, to password: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Grant {
    if flaw == .changesToTheSame, present == password {
      return try base.changePassword(
        from: present, to: Secret("a password that nobody knows"), for: session, under: lease)
    }
    let grant = try base.changePassword(from: present, to: password, for: session, under: lease)
    if flaw != .reauthenticatesNothing { return grant }
    return Grant(id: grant.id, user: grant.user, token: lease.sessionToken, limits: grant.limits)
  }

  func sessions(under lease: borrowing SessionLease) throws(BackendError) -> [SessionSummary] {
    let list = try base.sessions(under: lease)
    return flaw == .reversesSessions ? list.reversed() : list
  }

  func revokeSession(
    _ id: SessionID, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    if flaw == .revokesNothing { return }
    if flaw == .acceptsAnyKey { return try base.rules.revokeSession(id, token: lease.sessionToken) }
    try base.revokeSession(id, for: session, under: lease)
  }

  func endAllSessions(under lease: borrowing SessionLease) throws(BackendError) -> Int {
    let count = try base.endAllSessions(under: lease)
    return flaw == .countsWrongly ? count - 1 : count
  }

  func earlierPayment(of order: PaymentOrder, under lease: borrowing SessionLease) throws(BackendError) -> Receipt? {
    try base.earlierPayment(of: order, under: lease)
  }

  func pay(_ intent: consuming PaymentIntent, under lease: borrowing SessionLease) throws(BackendError) -> Receipt {
    switch flaw {
    case .paysTwice, .paysEachOfMany, .forgetsOrders: break
    case .namesNoRule:
      do throws(BackendError) {
        return try base.pay(intent, under: lease)
      } catch {
        throw error.kind == .refused ? .notFresh : error
      }
    default: return try base.pay(intent, under: lease)
    }
    let order = PaymentOrder(amount: intent.order.amount, payee: intent.order.payee)
    return try base.rules.pay(order, token: try intent.token(of: lease))
  }

  func receipts(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Receipt] {
    let page = try base.receipts(
      within: flaw == .ignoresTimes ? .all : times, matching: flaw == .ignoresTextOfReceipts ? "" : text,
      before: flaw == .ignoresPage ? nil : before, limit: limit, under: lease)
    let name = lease.user.username
    return flaw == .hidesFromPayee ? page.filter { $0.payee != name } : page
  }

  func events(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    try base.events(
      within: flaw == .ignoresSince ? .all : times, matching: flaw == .ignoresTextOfEvents ? "" : text, before: before,
      limit: limit, under: lease)
  }

  func allEvents(
    within times: TimeSpan, matching text: String, before: Int64?, limit: Int, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> [Event] {
    if flaw == .believesTheRole { return [] }
    return try base.allEvents(
      within: times, matching: flaw == .ignoresTextOfEvents ? "" : text, before: before, limit: limit,
      for: administrator, under: lease)
  }

  func accounts(
    _ query: AccountsQuery, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [AccountSummary] {
    var query = query
    if flaw == .ignoresPrefix { query.namePrefix = "" }
    if flaw == .ignoresOrder { query.order = .name }
    let page = try base.accounts(query, for: administrator, under: lease)
    return flaw == .reversesAccounts ? page.reversed() : page
  }

  func account(
    named name: Username, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try base.account(named: name, for: administrator, under: lease)
  }

  func setDisabled(
    _ disabled: Bool, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    if flaw == .neverDisables { return try base.account(named: name, for: administrator, under: lease) }
    if flaw == .disablesTheLast {
      if let changed = try? base.setDisabled(disabled, account: name, for: administrator, fresh, under: lease) {
        return changed
      }
      return try base.account(named: name, for: administrator, under: lease)
    }
    return try base.setDisabled(disabled, account: name, for: administrator, fresh, under: lease)
  }

  func unlock(
    account name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    if flaw == .unlocksAnyTime {
      if let changed = try? base.unlock(account: name, for: administrator, fresh, under: lease) { return changed }
      return try base.account(named: name, for: administrator, under: lease)
    }
    if flaw == .neverUnlocks { return try base.account(named: name, for: administrator, under: lease) }
    return try base.unlock(account: name, for: administrator, fresh, under: lease)
  }

  func deleteAccount(for session: FreshSession, under lease: borrowing SessionLease) throws(BackendError) {
    if flaw == .deletesNothing { return }
    try base.deleteAccount(for: session, under: lease)
  }

  func makeRecoveryCodes(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> [RecoveryCode] {
    let codes = try base.makeRecoveryCodes(for: session, under: lease)
    return flaw == .makesNineCodes ? Array(codes.dropLast()) : codes
  }

  func recover(username: String, code: RecoveryCode, password: Secret) throws(BackendError) -> User {
    switch flaw {
    case .takesAnyPassword where (try? base.check(newPassword: password, for: username)) == nil:
      return User(id: UserID(rawValue: "u2"), username: username, displayName: username, role: .member)
    case .usesCodesTwice, .opensDisabled, .keepsCodes:
      do {
        return try base.recover(username: username, code: code, password: password)
      } catch {
        guard error.kind == .credentials else { throw error }
        return User(id: UserID(rawValue: "u2"), username: username, displayName: username, role: .member)
      }
    case .countsNoCodes where code.text == "00000-00000-00000-00000-00000": throw .credentialsNotAccepted
    case .refusesLate:
      do throws(BackendError) {
        return try base.recover(username: username, code: code, password: password)
      } catch {
        throw error.code == "password_unchanged" ? .credentialsNotAccepted : error
      }
    default: return try base.recover(username: username, code: code, password: password)
    }
  }

  func resetPassword(
    of name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    let code = try base.resetPassword(of: name, for: administrator, fresh, under: lease)
    return flaw == .resetsForTooLong ? OneTimeCode(user: code.user, code: code.code, validFor: .seconds(7200)) : code
  }

  func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    let code = try base.resetPasswordAsOwner(of: name)
    guard flaw == .ownsNothing else { return code }
    return OneTimeCode(user: code.user, code: RecoveryCode(typed: []), validFor: code.validFor)
  }

  func setRole(
    _ role: Role, account name: Username, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    switch flaw {
    case .promotesNobody: return try base.account(named: name, for: administrator, under: lease)
    case .demotesTheLast where role == .member:
      return try base.account(named: name, for: administrator, under: lease)
    default: return try base.setRole(role, account: name, for: administrator, fresh, under: lease)
    }
  }

  func deleteAccount(
    _ name: Username, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    if flaw != .deletesNobody { try base.deleteAccount(name, for: administrator, fresh, under: lease) }
  }

  func twoStep(under lease: borrowing SessionLease) throws(BackendError) -> TwoStepState {
    try base.twoStep(under: lease)
  }

  func beginTwoStep(
    for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepSecret { try base.beginTwoStep(for: session, under: lease) }

  func confirmTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) { try base.confirmTwoStep(code, for: session, under: lease) }

  func endTwoStep(
    _ code: Secret, for session: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) { try base.endTwoStep(code, for: session, under: lease) }

  func twoStepPolicy(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> TwoStepPolicy { try base.twoStepPolicy(for: administrator, under: lease) }

  func setTwoStepPolicy(
    _ policy: TwoStepPolicy, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    if flaw != .requiresNoStep { try base.setTwoStepPolicy(policy, for: administrator, fresh, under: lease) }
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    do throws(AuthorityError<ReauthenticationRejection>) {
      if flaw == .countsNoSteps, answer == Secret("no code") { return .challenged(challenge.tried) }
      let result = try await base.answer(challenge, with: answer)
      guard flaw == .opensWithAnyCode || flaw == .keepsRecoveryCodes, case .challenged = result else { return result }
    } catch {
      guard flaw == .forgetsNoChallenge, error == .rejected(.notAccepted) else { throw error }
    }
    let user = User(id: UserID(rawValue: "u2"), username: "bob", displayName: "bob", role: .member)
    return .granted(
      Grant(
        id: SessionID(rawValue: "nobody's"), user: user, token: challenge.token,
        limits: SessionLimits(idle: .unknown, absolute: .unknown, fresh: .unknown)))
  }

  func registration(
    for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> Registration { try base.registration(for: administrator, under: lease) }

  func setRegistration(
    _ registration: Registration, for administrator: AdminSession, _ fresh: FreshSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) {
    if flaw != .neverCloses { try base.setRegistration(registration, for: administrator, fresh, under: lease) }
  }

  func registerOther(
    username: String, for administrator: AdminSession, _ fresh: FreshSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> OneTimeCode {
    try base.registerOther(username: username, for: administrator, fresh, under: lease)
  }

  func noteView(
    of subject: String, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    switch flaw {
    case .forgetsToNote: break
    case .notesWhenEnded, .notesPastLimits: try? base.noteView(of: subject, for: administrator, under: lease)
    default: try base.noteView(of: subject, for: administrator, under: lease)
    }
  }

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    do throws(AuthorityError<CredentialsRejection>) {
      return try await base.authenticate(credentials, limits: limits)
    } catch {
      guard flaw == .hidesWaits, case .throttled = error else { throw error }
      throw .rejected(.notAccepted)
    }
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try await base.renew(token)
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    try await base.reauthenticate(token, with: credentials, limits: limits)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) { try await base.confirm(token) }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    try await base.revoke(token, reason: reason)
  }
}

extension Challenge {
  /// The same with a try less.
  fileprivate var tried: Challenge {
    Challenge(token: token, question: question, triesLeft: triesLeft - 1, deadline: deadline)
  }
}

/// A source that cannot listen.
private final class DeafSource: ChangeSource {
  var descriptor: Int32 { -1 }
  var longestWait: Duration? { nil }
  func listen() throws(BackendError) -> Bool { false }
  func drain() throws(BackendError) -> Bool { false }
}
