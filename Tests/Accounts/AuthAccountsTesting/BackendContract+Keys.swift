import AuthAccounts
import AuthCore
import AuthCoreTesting

// The keys that operations take, and how each operation refuses an ended session.
extension BackendContract {
  static let keys: [Check] = [
    Check("an operation that needs a fresh password is refused when that was too long ago") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.fresh)
      for request in try probe.requests(of: alice, other: bob) where request.operation.name != "endAllSessions" {
        let (name, answer) = (request.operation.name, probe.ask(request))
        if request.operation.needs?.isFresh == true {
          try answer.refused("\(name) with an old password", with: "not_fresh", .notFresh)
        } else {
          try answer.value("\(name), which needs no fresh password,")
        }
      }
      try require(try bob.balance() == 100_00, "a refused payment moved money")
    },

    Check("a session that was ended elsewhere is refused") { probe, alice, bob in
      let elsewhere = try await probe.logIn("alice")
      try elsewhere.endAll().value()
      for request in try probe.requests(of: alice, other: bob) {
        try probe.ask(request).ended("\(request.operation.name) of an ended session", .userAsked)
      }
      try require(try bob.balance() == 100_00, "an ended session paid")
      try bob.profile().value("a session of another user")
    },

    Check("a session past a limit is refused with that limit") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.idle)
      for request in try probe.requests(of: alice, other: bob) {
        try probe.ask(request).ended("\(request.operation.name) past the idle limit", .expired(.idle))
      }
    },
  ]
}

extension BackendProbe {
  /// Every operation of a login, on the account of another one.
  func requests(of login: Login, other: Login) throws -> [Request] {
    var source: any SampleSource = ContractSource(login: login, username: try Username(other.user.username))
    return try Sample.all.filter { $0.operation.needs != nil }.map { try $0.request(&source) }
  }

  func ask(_ request: Request) -> Answer<any Sendable> {
    Answer(request.operation.name) { () throws(BackendError) in try request.perform(backend) }
  }
}

/// The inputs of the operations of a login, on another account.
private struct ContractSource: SampleSource {
  let login: Login
  let username: Username

  var token: SessionToken { login.token }
  var newToken: SessionToken { SessionToken(bytes: Array(repeating: 6, count: 32)) }
  var new: NewSession { NewSession(token: newToken, label: nil, origin: nil) }
  var session: SessionID { login.id }
  var limits: LimitRequest { .standard }
  var credentials: Credentials { .of(login.user.username) }
  var password: Secret { .of(login.user.username) }
  var newPassword: Secret { .new }
  var firstPassword: Secret { .new }
  var answer: Secret { .wrong }
  var code: Secret { .wrong }
  var recovery: (name: String, code: RecoveryCode) { (username.canonical, .wrong) }
  var name: String { "erin" }
  var otherName: String { "erin" }
  var displayName: String { "Another name" }
  var order: PaymentOrder { get throws { try PaymentOrder(minorUnits: 1, to: username.canonical, key: "unused") } }
  var page: Page { Page() }
  var sessionsPage: SessionsPage { SessionsPage() }
  var accountsQuery: AccountsQuery { AccountsQuery(limit: 50) }
  var groupPage: GroupPage { GroupPage(limit: 50) }
  var memberPage: GroupPage { GroupPage(limit: 50) }
  /// Made with the token, if the session is active.
  var proof: ToolProof {
    (try? login.prove(login.user.username).value()) ?? ToolProof(typed: Array("no proof".utf8))
  }
}
