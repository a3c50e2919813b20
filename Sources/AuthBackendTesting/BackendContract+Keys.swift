import AuthBackend
import AuthCore
import AuthCoreTesting

// The keys that operations take, and how each operation refuses an ended session.
extension BackendContract {
  static let keys: [Check] = [
    Check("an operation that needs a fresh password is refused when that was too long ago") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.fresh)
      for operation in try Operation.all(bob) where operation.name != "endAllSessions" {
        let answer = operation.run(alice)
        if operation.needs.contains(.freshness) {
          try answer.refused("\(operation.name) with an old password", with: "not_fresh", .notFresh)
        } else {
          try answer.value("\(operation.name), which needs no fresh password,")
        }
      }
      try require(try bob.balance() == 100_00, "a refused payment moved money")
    },

    Check("a session that was ended elsewhere is refused") { probe, alice, bob in
      let elsewhere = try await probe.logIn("alice")
      try elsewhere.endAll().value()
      for operation in try Operation.all(bob) {
        try operation.run(alice).ended("\(operation.name) of an ended session", .userAsked)
      }
      try require(try bob.balance() == 100_00, "an ended session paid")
      try bob.profile().value("a session of another user")
    },

    Check("a session past a limit is refused with that limit") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.idle)
      for operation in try Operation.all(bob) {
        try operation.run(alice).ended("\(operation.name) past the idle limit", .expired(.idle))
      }
    },
  ]
}

/// An operation on the data of a session's user, and the keys that it needs.
struct Operation {
  enum Need { case freshness, role }

  let name: String
  let needs: Set<Need>
  private let request: (Login) -> BackendRequest

  init(_ name: String, _ needs: Set<Need> = [], _ request: @escaping (Login) -> BackendRequest) {
    (self.name, self.needs, self.request) = (name, needs, request)
  }

  func run(_ login: Login) -> Answer<BackendAnswer> { login.ask(request(login), \.self, name) }

  /// All operations, applied to the account of `other`; the last one ends the session.
  static func all(_ other: Login) throws -> [Operation] {
    let username = other.user.username
    let (payee, order) = (try Username(username), try PaymentOrder(minorUnits: 1, to: username))
    let unused = try PaymentOrder(minorUnits: 1, to: "bob", key: "unused")
    let newToken = SessionToken(bytes: Array(repeating: 6, count: 32))
    return [
      Operation("twoStep") { .twoStep($0.token) },
      Operation("beginTwoStep", [.freshness]) { .beginTwoStep($0.token) },
      Operation("confirmTwoStep", [.freshness]) { .confirmTwoStep(.wrong, $0.token) },
      Operation("endTwoStep", [.freshness]) { .endTwoStep(.wrong, $0.token) },
      Operation("twoStepPolicy", [.role]) { .twoStepPolicy($0.token) },
      Operation("setTwoStepPolicy", [.role, .freshness]) { .setTwoStepPolicy(.required, $0.token) },
      Operation("profile") { .profile($0.token) },
      Operation("rename") { .rename("Another name", $0.token) },
      Operation("changePassword", [.freshness]) {
        .changePassword(from: .of($0.user.username), to: .new, $0.token, newToken: newToken)
      },
      Operation("sessions") { .sessions(SessionsPage(), $0.token) },
      Operation("revokeSession", [.freshness]) { .revokeSession($0.id, $0.token) },
      Operation("earlierPayment") { .earlierPayment(unused, $0.token) },
      Operation("pay", [.freshness]) { .pay(order, $0.token) },
      Operation("receipts") { .receipts(Page(), $0.token) },
      Operation("events") { .events(.own, Page(), $0.token) },
      Operation("allEvents", [.role]) { .events(.everyone, Page(), $0.token) },
      Operation("accounts", [.role]) { .accounts(AccountsQuery(limit: 50), $0.token) },
      Operation("account", [.role]) { .account(payee, $0.token) },
      Operation("setDisabled", [.role, .freshness]) { .setDisabled(true, payee, $0.token) },
      Operation("unlock", [.role, .freshness]) { .unlock(payee, $0.token) },
      Operation("makeRecoveryCodes", [.freshness]) { .makeRecoveryCodes($0.token) },
      Operation("resetPassword", [.role, .freshness]) { .resetPassword(payee, $0.token) },
      Operation("setRole", [.role, .freshness]) { .setRole(.administrator, payee, $0.token) },
      Operation("registration", [.role]) { .registration($0.token) },
      Operation("setRegistration", [.role, .freshness]) { .setRegistration(.closed, $0.token) },
      Operation("registerOther", [.role, .freshness]) { .registerOther(username: "erin", $0.token) },
      Operation("deleteAccount of another", [.role, .freshness]) { .deleteAccount(payee, $0.token) },
      Operation("deleteAccount", [.freshness]) { .deleteOwnAccount($0.token) },
      Operation("noteView", [.role]) { .noteView("accounts", $0.token) },
      Operation("endAllSessions") { .endAllSessions($0.token) },
    ]
  }
}
