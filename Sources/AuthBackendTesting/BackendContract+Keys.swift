import AuthBackend
import AuthCore
import AuthCoreTesting

// The keys that operations take, and how each operation refuses an ended session.
extension BackendContract {
  static let keys: [Check] = [
    Check("an operation that needs a fresh password is refused when that was too long ago") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.fresh)
      for operation in try Operation.all(bob) where operation.needs.contains(.freshness) {
        let failure = try await operation.failure(alice, alice)
        try require(failure?.kind == .notFresh, "\(operation.name) with an old password was answered \(failure.text)")
      }
      for operation in try Operation.all(bob)
      where !operation.needs.contains(.freshness) && operation.name != "endAllSessions" {
        let failure = try await operation.failure(alice, alice)
        try require(failure == nil, "\(operation.name) needs no fresh password and was answered \(failure.text)")
      }
      try require(try bob.balance() == 100_00, "a refused payment moved money")
    },

    Check("a key of another session than the lease's is refused") { probe, alice, bob in
      let other = try await probe.logIn("alice")
      for operation in try Operation.all(bob) where !operation.needs.isEmpty {
        let failure = try await operation.failure(alice, other)
        try require(
          failure?.code == "session_mismatch" && failure?.kind == .refused,
          "\(operation.name) with a key of another session was answered \(failure.text)")
      }
      let name = try probe.name("bob")
      for answer in [try alice.setDisabled(true, name, fresh: other), try alice.unlock(name, fresh: other)] {
        try answer.refused("a freshness of another session", with: "session_mismatch", .refused)
      }
      try require(try bob.balance() == 100_00, "a refused payment moved money")
      try require(try !alice.account(name).value("account").isDisabled, "a refused operation disabled an account")
    },

    Check("a session that was ended elsewhere is refused, though its key is live here") { probe, alice, bob in
      let elsewhere = try await probe.logIn("alice")
      _ = try elsewhere.endAll().value("endAllSessions")
      try require(alice.session.isLive, "the key died without its store")
      for operation in try Operation.all(bob) {
        let failure = try await operation.failure(alice, alice)
        try require(
          failure?.kind == .session(.ended(.userAsked)) && failure?.code == "session_user_asked",
          "\(operation.name) of an ended session was answered \(failure.text)")
      }
      try require(try bob.balance() == 100_00, "an ended session paid")
      _ = try bob.profile().value("a session of another user")
    },

    Check("a session past a limit is refused with that limit") { probe, alice, bob in
      await probe.subject.advance(probe.backend.policy.idle)
      for operation in try Operation.all(bob) {
        let failure = try await operation.failure(alice, alice)
        try require(
          failure?.kind == .session(.ended(.expired(.idle))),
          "\(operation.name) past the idle limit was answered \(failure.text)")
      }
    },
  ]
}

/// An operation under a lease, with the keys that it needs.
struct Operation {
  enum Need { case freshness, role }

  let name: String
  let needs: Set<Need>
  private let body: (Login, Login) async throws -> Answer<Void>

  /// Returns the error of the operation under a lease of the first session, with keys of the
  /// second.
  func failure(_ login: Login, _ keys: Login) async throws -> BackendError? {
    if case .failure(let error) = try await body(login, keys) { error } else { nil }
  }

  private init<Value>(
    _ name: String, _ needs: Set<Need> = [], _ body: @escaping (Login, Login) async throws -> Answer<Value>
  ) {
    self.name = name
    self.needs = needs
    self.body = { login, keys in try await body(login, keys).map { _ in () } }
  }

  /// All operations, applied to the account of `other`; the last one ends the session.
  static func all(_ other: Login) throws -> [Operation] {
    let probe = BackendProbe(subject: BackendContract.Subject(backend: other.backend, advance: { _ in }))
    let username = other.session.user.username
    let (payee, order) = (try probe.name(username), try probe.order(1, to: username))
    let twoStep: [Operation] = [
      Operation("twoStep") { login, _ in try login.twoStep() },
      Operation("beginTwoStep", [.freshness]) { try $0.beginTwoStep(keys: $1) },
      Operation("confirmTwoStep", [.freshness]) { try $0.confirmTwoStep(BackendProbe.wrongPassword, keys: $1) },
      Operation("endTwoStep", [.freshness]) { try $0.endTwoStep(BackendProbe.wrongPassword, keys: $1) },
      Operation("twoStepPolicy", [.role]) { try $0.twoStepPolicy(keys: $1) },
      Operation("setTwoStepPolicy", [.role, .freshness]) { try $0.setTwoStepPolicy(.required, keys: $1) },
    ]
    return twoStep + [
      Operation("profile") { login, _ in try login.profile() },
      Operation("rename") { login, _ in try login.rename("Another name") },
      Operation("changePassword", [.freshness]) { login, keys in
        let present = BackendProbe.password(of: login.session.user.username)
        return try login.changePassword(present, Secret("a quite new passphrase"), keys: keys)
      },
      Operation("sessions") { login, _ in try login.sessions() },
      Operation("revokeSession", [.freshness]) { try $0.revoke($0.session.id, keys: $1) },
      Operation("earlierPayment") { login, _ in
        try login.earlierPayment(probe.order(1, to: "bob", key: "unused"))
      },
      Operation("pay", [.freshness]) { try await $0.pay(order, keys: $1) },
      Operation("receipts") { login, _ in try login.receipts() },
      Operation("events") { login, _ in try login.events() },
      Operation("allEvents", [.role]) { try $0.allEvents(keys: $1) },
      Operation("accounts", [.role]) { try $0.accounts(keys: $1) },
      Operation("account", [.role]) { try $0.account(payee, keys: $1) },
      Operation("setDisabled", [.role, .freshness]) { try $0.setDisabled(true, payee, keys: $1, fresh: $1) },
      Operation("unlock", [.role, .freshness]) { try $0.unlock(payee, keys: $1, fresh: $1) },
      Operation("makeRecoveryCodes", [.freshness]) { try $0.makeRecoveryCodes(keys: $1) },
      Operation("resetPassword", [.role, .freshness]) { try $0.resetPassword(payee, keys: $1) },
      Operation("setRole", [.role, .freshness]) { try $0.setRole(.administrator, payee, keys: $1) },
      Operation("registration", [.role]) { try $0.registration(keys: $1) },
      Operation("setRegistration", [.role, .freshness]) { try $0.setRegistration(.closed, keys: $1) },
      Operation("registerOther", [.role, .freshness]) { try $0.registerOther("erin", keys: $1) },
      Operation("deleteAccount of another", [.role, .freshness]) { try $0.deleteAccount(payee, keys: $1) },
      Operation("deleteAccount", [.freshness]) { try $0.deleteAccount(keys: $1) },
      Operation("noteView", [.role]) { try $0.noteView("accounts", keys: $1) },
      Operation("endAllSessions") { login, _ in try login.endAll() },
    ]
  }
}

extension BackendError? {
  var text: String { map { "\($0.code): \($0)" } ?? "with a result" }
}
