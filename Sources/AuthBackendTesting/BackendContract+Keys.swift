import AuthBackend
import AuthCore
import AuthCoreTesting

// The keys that operations take, and how each operation refuses an ended session.
extension BackendContract {
  static let keys: [Check] = [
    Check("an operation that needs a fresh password is refused when that was too long ago") { probe throws(Breach) in
      let (alice, bob) = try await probe.both()
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

    Check("a key of another session than the lease's is refused") { probe throws(Breach) in
      let (alice, bob) = try await probe.both()
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

    Check("a session that was ended elsewhere is refused, though its key is live here") { probe throws(Breach) in
      let (alice, bob) = try await probe.both()
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

    Check("a session past a limit is refused with that limit") { probe throws(Breach) in
      let (alice, bob) = try await probe.both()
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
  private let body: (Login, Login) async throws(Breach) -> Answer<Void>

  /// Returns the error of the operation under a lease of the first session, with keys of the
  /// second.
  func failure(_ login: Login, _ keys: Login) async throws(Breach) -> BackendError? {
    if case .failure(let error) = try await body(login, keys) { error } else { nil }
  }

  private init<Value>(
    _ name: String, _ needs: Set<Need> = [], _ body: @escaping (Login, Login) async throws(Breach) -> Answer<Value>
  ) {
    self.name = name
    self.needs = needs
    self.body = { (login, keys) async throws(Breach) in try await body(login, keys).map { _ in () } }
  }

  /// All operations, applied to the account of `other`; the last one ends the session.
  static func all(_ other: Login) throws(Breach) -> [Operation] {
    let probe = BackendProbe(subject: BackendContract.Subject(backend: other.backend, advance: { _ in }))
    let (payee, order) = (
      try probe.name(other.session.user.username), try probe.order(1, to: other.session.user.username)
    )
    let twoStep: [Operation] = [
      Operation("twoStep") { (login, _) throws(Breach) in try login.twoStep() },
      Operation("beginTwoStep", [.freshness]) { (login, keys) throws(Breach) in try login.beginTwoStep(keys: keys) },
      Operation("confirmTwoStep", [.freshness]) { (login, keys) throws(Breach) in
        try login.confirmTwoStep(BackendProbe.wrongPassword, keys: keys)
      },
      Operation("endTwoStep", [.freshness]) { (login, keys) throws(Breach) in
        try login.endTwoStep(BackendProbe.wrongPassword, keys: keys)
      },
      Operation("twoStepPolicy", [.role]) { (login, keys) throws(Breach) in try login.twoStepPolicy(keys: keys) },
      Operation("setTwoStepPolicy", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.setTwoStepPolicy(.required, keys: keys)
      },
    ]
    return twoStep + [
      Operation("profile") { (login, _) throws(Breach) in try login.profile() },
      Operation("rename") { (login, _) throws(Breach) in try login.rename("Another name") },
      Operation("changePassword", [.freshness]) { (login, keys) throws(Breach) in
        let present = BackendProbe.passwords[login.session.user.username] ?? BackendProbe.wrongPassword
        return try login.changePassword(present, Secret("a quite new passphrase"), keys: keys)
      },
      Operation("sessions") { (login, _) throws(Breach) in try login.sessions() },
      Operation("revokeSession", [.freshness]) { (login, keys) throws(Breach) in
        try login.revoke(login.session.id, keys: keys)
      },
      Operation("earlierPayment") { (login, _) throws(Breach) in
        try login.earlierPayment(try probe.order(1, to: "bob", key: "unused"))
      },
      Operation("pay", [.freshness]) { (login, keys) async throws(Breach) in try await login.pay(order, keys: keys) },
      Operation("receipts") { (login, _) throws(Breach) in try login.receipts() },
      Operation("events") { (login, _) throws(Breach) in try login.events() },
      Operation("allEvents", [.role]) { (login, keys) throws(Breach) in try login.allEvents(keys: keys) },
      Operation("accounts", [.role]) { (login, keys) throws(Breach) in try login.accounts(keys: keys) },
      Operation("account", [.role]) { (login, keys) throws(Breach) in try login.account(payee, keys: keys) },
      Operation("setDisabled", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.setDisabled(true, payee, keys: keys, fresh: keys)
      },
      Operation("unlock", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.unlock(payee, keys: keys, fresh: keys)
      },
      Operation("makeRecoveryCodes", [.freshness]) { (login, keys) throws(Breach) in
        try login.makeRecoveryCodes(keys: keys)
      },
      Operation("resetPassword", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.resetPassword(payee, keys: keys)
      },
      Operation("setRole", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.setRole(.administrator, payee, keys: keys)
      },
      Operation("registration", [.role]) { (login, keys) throws(Breach) in try login.registration(keys: keys) },
      Operation("setRegistration", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.setRegistration(.closed, keys: keys)
      },
      Operation("registerOther", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.registerOther("erin", keys: keys)
      },
      Operation("deleteAccount of another", [.role, .freshness]) { (login, keys) throws(Breach) in
        try login.deleteAccount(payee, keys: keys)
      },
      Operation("deleteAccount", [.freshness]) { (login, keys) throws(Breach) in try login.deleteAccount(keys: keys) },
      Operation("noteView", [.role]) { (login, keys) throws(Breach) in try login.noteView("accounts", keys: keys) },
      Operation("endAllSessions") { (login, _) throws(Breach) in try login.endAll() },
    ]
  }
}

extension BackendError? {
  var text: String { map { "\($0.code): \($0)" } ?? "with a result" }
}
