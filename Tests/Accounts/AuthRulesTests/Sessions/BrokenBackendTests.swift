import AuthAccounts
import AuthAccountsTesting
import AuthCore
import AuthCoreTesting
import AuthDevice
import Foundation
import Services
import Testing

@Suite("The contract of backends finds what is broken", .timeLimit(.minutes(10)))
struct BrokenBackendTests {
  @Test("every broken backend is found", arguments: BrokenBackend.Flaw.allCases)
  func flaws(flaw: BrokenBackend.Flaw) async throws {
    let check = try #require(BackendContract.checks.first { $0.name == flaw.rawValue })
    // `ContractTests` of AuthSQLite find the same backend sound where nothing is broken.
    let violation = await check.run(on: try Workspace().backendSubject { BrokenBackend(base: $0, flaw: flaw) })
    #expect(violation?.check == check.name)
  }

  @Test("every check has a broken backend that fails it") func everyCheck() {
    let found = Set(BrokenBackend.Flaw.allCases.map(\.rawValue))
    #expect(Set(BackendContract.checks.map(\.name)).subtracting(found) == [], "add a flaw to BrokenBackend")
  }

  @Test("names of checks are unique") func names() {
    #expect(Set(BackendContract.checks.map(\.name)).count == BackendContract.checks.count)
  }
}

/// A backend that breaks one rule.
struct BrokenBackend: Backend {
  /// The flaws, each with the check that finds it.
  enum Flaw: String, CaseIterable {
    case paysTwice = "a repeated order under the same key is paid once, and asks for nothing again"
    case reversesSessions = "sessions are the user's own live ones, newest first"
    case ignoresPage = "receipts come newest first, in pages, and within times"
    case ignoresSince = "events of an account come newest first, in pages, and since a time"
    case reversesAccounts = "accounts come in the order of their names, in pages"
    case ignoresTextOfReceipts = "receipts can be filtered by a text in their number, amount or other name"
    case ignoresTextOfEvents = "events can be filtered by a text in their columns"
    case ignoresPrefix = "accounts can be listed by the prefix of their names"
    case ignoresOrder = "accounts can be listed by their last login"
    case looksUpNothing = "lookUp knows the present token of a live session and no other"
    case inspectsByUse =
      "inspect finds each token that opens a session, says why another does not, and changes nothing"
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
    case keepsCodesOfRecoveries = "a recovery voids a one-time code that was made before it"
    case ownsNothing = "the owner of the database resets a password without a session, and the event says so"
    case promotesNobody = "a role can be given and taken away, and a session follows at once"
    case demotesTheLast = "the last administrator cannot be demoted or deleted"
    case neverCloses =
      "a closed registration admits only whom an administrator registers, and needs no code to open"
    case deletesNothing =
      "a deleted account is gone with its sessions, its payments stay, and its name is not given again"
    case keepsCredit =
      "the opening credit of an account without payments is paid back when the account is deleted"
    case deletesNobody = "an administrator deletes another account"
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
    case notesWhenEnded = "a session that was ended elsewhere is refused"
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
    case joinsNobody = "an administrator adds accounts to groups and removes them, and each sees its own"
    case ignoresPlace = "groups come in the order of their names and members the oldest first, in pages"
    case joinsTooMany = "an account is in at most 32 groups, and a request changes at most 50 accounts"
    case provesTwice = "a proof names its user once, and only to the tool that it was made for"
    case keepsProofs = "a proof ends after a minute, and with the session and the account of its user"
    case keepsTheOldest = "of more than 16 proofs of a user the oldest ends"
    case hidesFaults = "a backend that cannot answer says so in every operation"
  }

  let base: any Backend
  let flaw: Flaw

  var label: String? { base.label }
  var origin: @Sendable () -> SessionOrigin? { base.origin }
  var clock: any SessionClock { base.clock }
  var issuer: TokenIssuer { base.issuer }
  var connection: BackendConnection? { base.connection }

  var policy: SessionPolicy {
    flaw == .otherPolicy
      ? SessionPolicy(idle: .seconds(60), absolute: .seconds(120), fresh: .seconds(30)) : base.policy
  }

  func changes() throws(BackendError) -> any ChangeSource {
    flaw == .neverTellsOfChanges ? DeafSource() : try base.changes()
  }

  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output {
    let request = operation.request(input)
    if let invention = try invented(request), let output = invention.output as? Output { return output }
    do throws(BackendError) {
      let output = try altered(request).perform(base)
      guard let output = bent(output, of: request) as? Output else {
        // The check would fail for another reason than the flaw.
        Issue.record("\(flaw) answers \(request.operation.name) with a value of another type")
        throw .unavailable(.answerUnknown)
      }
      return output
    } catch {
      guard let output = try excused(error, of: request) as? Output else { throw error }
      return output
    }
  }

  /// An output that the backend is not asked for.
  ///
  /// It is not an optional value, because nil can be cast to every optional output: each flaw would
  /// then answer `lookUp` with nil.
  private struct Invention { let output: any Sendable }

  /// What a request is answered with before the backend is asked; nil to ask it.
  private func invented(_ request: Request) throws(BackendError) -> Invention? {
    switch (flaw, request.operation.name) {
    case (.checksNoName, "checkUsername"), (.checksNoPassword, "checkPassword"), (.forgetsToNote, "noteView"),
      (.revokesNothing, "revokeSession"), (.neverCloses, "setRegistration"), (.deletesNothing, "deleteOwnAccount"),
      (.deletesNobody, "deleteAccount"), (.requiresNoStep, "setTwoStepPolicy"),
      (.joinsNobody, "setMembership"):
      return Invention(output: ())
    case (.looksUpNothing, "lookUp"): return Invention(output: Grant?.none)
    case (.inspectsByUse, _):
      if let token = request.input(of: Operations.inspect) {
        return Invention(output: try base.ask(Operations.resume, token))
      }
    case (.believesTheRole, "allEvents"): return Invention(output: Found<Event>([]))
    case (.refusesLogins, "checkForLogins"), (.refusesNames, "checkUsername"): throw .notFresh
    case (.countsNoCodes, _):
      if request.input(of: Operations.recover)?.1.text == "00000-00000-00000-00000-00000" {
        throw .credentialsNotAccepted
      }
    case (.countsNoSteps, _):
      if let (code, token, _) = request.input(of: Operations.answer), code == Secret("no code") {
        throw .challenged(Challenge(token: token, question: .code(digits: 6), triesLeft: 2, deadline: .never))
      }
    case (.takesAnyPassword, _):
      if let (name, _, password) = request.input(of: Operations.recover),
        (try? base.check(newPassword: password, for: name)) == nil
      {
        return Invention(output: Self.bob)
      }
    default: break
    }
    return nil
  }

  /// What is asked in place of a request, with an output of the same type.
  private func altered(_ request: Request) -> Request {
    switch flaw {
    case .neverDisables:
      if let (_, name, token) = request.input(of: Operations.setDisabled) { return Operations.account(name, token) }
    case .neverUnlocks:
      if let (name, token) = request.input(of: Operations.unlock) { return Operations.account(name, token) }
    case .promotesNobody:
      if let (_, name, token) = request.input(of: Operations.setRole) { return Operations.account(name, token) }
    case .demotesTheLast:
      if let (role, name, token) = request.input(of: Operations.setRole), role == .member {
        return Operations.account(name, token)
      }
    case .renamesNothing:
      if let (_, token) = request.input(of: Operations.rename) { return Operations.profile(token) }
    case .countsReading:
      // A change is activity.
      if let token = request.input(of: Operations.profile) { return Operations.rename("a name", token) }
    case .paysTwice, .paysEachOfMany, .forgetsOrders:
      if let (order, token) = request.input(of: Operations.pay) {
        return Operations.pay(PaymentOrder(amount: order.amount, payee: order.payee), token)
      }
    case .takesAnyDisplayName:
      if let (name, password, _) = request.input(of: Operations.register) {
        return Operations.register(name, password, nil)
      }
    case .changesToTheSame:
      if let (old, next, token, new) = request.input(of: Operations.changePassword), old == next {
        return Operations.changePassword(old, Secret("a password that nobody knows"), token, new)
      }
    case .ignoresPage:
      if let (page, token) = request.input(of: Operations.receipts) {
        return Operations.receipts(Page(within: page.times, matching: page.text, limit: page.limit), token)
      }
    case .ignoresTextOfReceipts:
      if let (page, token) = request.input(of: Operations.receipts) {
        return Operations.receipts(page.with(text: ""), token)
      }
    case .ignoresSince:
      if let (scope, page, token) = request.input(of: Operations.events) {
        return Operations.events(scope, page.with(times: .all), token)
      }
    case .ignoresTextOfEvents:
      if let (scope, page, token) = request.input(of: Operations.events) {
        return Operations.events(scope, page.with(text: ""), token)
      }
    case .ignoresPrefix:
      if let (query, token) = request.input(of: Operations.accounts) {
        return Operations.accounts(AccountsQuery(order: query.order, after: query.after, limit: query.limit), token)
      }
    case .ignoresOrder:
      if let (query, token) = request.input(of: Operations.accounts) {
        return Operations.accounts(
          AccountsQuery(namePrefix: query.namePrefix, after: query.after, limit: query.limit), token)
      }
    case .ignoresPlace:
      if let (group, page, token) = request.input(of: Operations.members) {
        return Operations.members(group, GroupPage(limit: page.limit), token)
      }
    default: break
    }
    return request
  }

  /// What the backend makes of an output.
  private func bent(_ output: any Sendable, of request: Request) -> any Sendable {
    switch (flaw, output) {
    case (.reversesSessions, let list as [SessionSummary]): return Array(list.reversed())
    case (.reversesAccounts, let page as [AccountSummary]): return Array(page.reversed())
    case (.countsWrongly, let count as Int): return count - 1
    case (.makesNineCodes, let codes as [RecoveryCode]): return Array(codes.dropLast())
    case (.hidesFromPayee, let page as Found<Receipt>):
      let payee = (request.input(of: Operations.receipts)?.1).flatMap { user(of: $0) }
      return Found(page.filter { $0.payee != payee })
    case (.keepsCredit, let page as Found<Event>):
      return Found(page.filter { $0.name != "user_deleted" || $0.detail == nil })
    case (.opensEmpty, let profile as Profile):
      return Profile(user: profile.user, balance: 0, createdAt: profile.createdAt)
    case (.makesAdministrators, let user as User) where request.operation.name == "register":
      return User(id: user.id, username: user.username, displayName: user.displayName, role: .administrator)
    case (.reauthenticatesNothing, let grant as Grant):
      guard let (_, _, token, _) = request.input(of: Operations.changePassword) else { return output }
      return Grant(id: grant.id, user: grant.user, token: token, limits: grant.limits)
    case (.resetsForTooLong, let code as OneTimeCode) where request.operation.name == "resetPassword":
      return OneTimeCode(user: code.user, code: code.code, validFor: .seconds(7200))
    case (.ownsNothing, let code as OneTimeCode) where request.operation.name == "resetPasswordAsOwner":
      return OneTimeCode(user: code.user, code: RecoveryCode(typed: []), validFor: code.validFor)
    default: return output
    }
  }

  /// What the backend answers in place of an error.
  private func excused(_ error: BackendError, of request: Request) throws(BackendError) -> any Sendable {
    switch (flaw, error.kind, request.operation.name) {
    case (.hidesFaults, _, "lookUp"): return Grant?.none
    case (.notesWhenEnded, _, "noteView"), (.notesPastLimits, _, "noteView"): return ()
    case (.disablesTheLast, _, "setDisabled"):
      guard let (_, name, token) = request.input(of: Operations.setDisabled) else { throw error }
      return try base.ask(Operations.account, name, token)
    case (.unlocksAnyTime, _, "unlock"):
      guard let (name, token) = request.input(of: Operations.unlock) else { throw error }
      return try base.ask(Operations.account, name, token)
    case (.letsAllWin, .refused, "register"), (.usesCodesTwice, .credentials, "recover"),
      (.opensDisabled, .credentials, "recover"), (.keepsCodes, .credentials, "recover"),
      (.keepsCodesOfRecoveries, .credentials, "recover"):
      return Self.bob
    case (.opensWithAnyCode, .challenged, "answer"), (.keepsRecoveryCodes, .challenged, "answer"),
      (.forgetsNoChallenge, .credentials, "answer"):
      guard let (_, token, _) = request.input(of: Operations.answer) else { throw error }
      let limits = SessionLimits(idle: .unknown, absolute: .unknown, fresh: .unknown)
      return Grant(id: SessionID(rawValue: "nobody's"), user: Self.bob, token: token, limits: limits)
    case (.joinsTooMany, .refused, "setMembership"): return ()
    case (.provesTwice, .refused, "verify"), (.keepsProofs, .refused, "verify"),
      (.keepsTheOldest, .refused, "verify"):
      return ProvenUser(user: Self.bob, groups: [])
    case (.namesNoRule, .refused, "pay"): throw .notFresh
    case (.refusesLate, .invalid, "recover"), (.hidesWaits, .throttled, "logIn"): throw .credentialsNotAccepted
    default: throw error
    }
  }

  private func user(of token: SessionToken) -> String? { (try? base.lookUp(token))?.user.username }

  private static let bob = User(id: UserID(rawValue: "u2"), username: "bob", displayName: "bob", role: .member)
}

extension Page {
  fileprivate func with(times: TimeSpan? = nil, text: String? = nil) -> Page {
    Page(within: times ?? self.times, matching: text ?? self.text, before: before, limit: limit)
  }
}

/// A source that cannot listen.
private final class DeafSource: ChangeSource {
  var descriptor: Int32 { -1 }
  var longestWait: Duration? { nil }
  func listen() throws(BackendError) -> Bool { false }
  func drain() throws(BackendError) -> Bool { false }
}
