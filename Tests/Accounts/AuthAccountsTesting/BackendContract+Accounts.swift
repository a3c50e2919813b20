import AuthAccounts
import AuthCore
import AuthCoreTesting

extension Sample {
  static let accounts = [
    Sample(Operations.checkUsername) { $0.name },
    Sample(Operations.checkPassword) { ($0.firstPassword, $0.name) },
    Sample(Operations.checkForLogins) { _ in },
    Sample(Operations.register) { ($0.name, $0.firstPassword, $0.displayName) },
    Sample(Operations.profile) { $0.token },
    Sample(Operations.rename) { ($0.displayName, $0.token) },
    Sample(Operations.changePassword) { ($0.password, $0.newPassword, $0.token, $0.newToken) },
    Sample(Operations.deleteOwnAccount) { $0.token },
  ]
}

extension BackendContract {
  static let accounts: [Check] = [
    Check("the first account is an administrator's and no later one is") { probe in
      let alice = try probe.register("alice")
      let bob = try probe.register("bob")
      try require([alice.role, bob.role], is: [.administrator, .member], "the first two accounts have the roles")
      try require(alice.id != bob.id, "two accounts have the id \(alice.id.rawValue)")
      let carol = try probe.registration(of: "Carol", .wrong).value("register of Carol")
      try require([carol.username, carol.displayName], is: ["carol", "Carol"], "Carol is stored and shown as")
      let grant = try await probe.logIn("CAROL", .wrong)
      try require(grant.user, is: carol, "the login of \(carol) is one of")
    },

    Check("a name that is taken or not accepted is refused, by the check and by the registration") { probe in
      try probe.register("alice")
      for (name, code, kind) in [
        ("ALICE", "username_taken", BackendError.Kind.refused), ("../alice", "username_invalid", .invalid),
      ] {
        try probe.check(newUsername: name).refused("check of the name \(name)", with: code, kind)
        try probe.registration(of: name).refused("register of \(name)", with: code, kind)
      }
      try probe.check(newUsername: "bob").value("a free name")
      try probe.register("bob")
    },

    Check("a name can be checked before any account exists") { probe in
      try probe.check(newUsername: "bob").value("check of a name without any account")
      try require(try probe.register("alice").role == .administrator, "the check took the first account's role")
    },

    Check("a display name that cannot be shown is refused") { probe in
      try probe.registration(of: "bob", .wrong, shownAs: "\u{1B}[1m")
        .refused("register with an escape sequence as name", with: "display_name_invalid", .invalid)
      let (alice, _) = try await probe.aliceAndBob()
      for name in ["", "a ", "a\u{202E}b", String(repeating: "x", count: 65)] {
        try alice.rename(name).refused("rename to an unusable name", with: "display_name_invalid", .invalid)
      }
      let shown = try alice.profile().value().user.displayName
      try require(shown, is: "alice", "a refused rename changed the name to")
    },

    Check("a profile is the account of the session, opened with 100.00") { probe, alice, bob in
      for login in [alice, bob] {
        let profile = try login.profile().value()
        try require(profile.user, is: login.user, "\(login.user) has the profile of")
        try require(profile.balance, is: 100_00, "a new account holds")
      }
    },

    Check("a rename answers the account as changed, and the next look has it") { probe, alice, bob in
      let renamed = try alice.rename("Alice \u{E9}").value().user
      try require(renamed.displayName, is: "Alice \u{E9}", "rename answered the name")
      try require(alice.profile().value().user, is: renamed, "after the rename the profile is of")
      try require(probe.backend.lookUp(alice.token)?.user, is: renamed, "after the rename the session is of")
      try require(try bob.profile().value().user.displayName == "bob", "the rename changed another account too")
    },

    Check("a login can be checked before a password is typed") { probe in
      try probe.register("alice")
      try probe.backend.checkForLogins()
    },

    Check("a backend that cannot answer says so in every operation") { probe in
      guard let setAvailable = probe.subject.setAvailable else { return }
      let (alice, bob) = try await probe.aliceAndBob()
      let name = try Username("bob")
      let others = [
        Operations.lookUp(alice.token), Operations.checkForLogins(), Operations.recover("bob", .wrong, .new),
        Operations.resetPasswordAsOwner(name),
      ]
      let ofSessions = try probe.requests(of: alice, other: bob)
      await setAvailable(false)
      for request in others + ofSessions {
        let (operation, error) = (request.operation.name, probe.ask(request).error)
        if case .unavailable = error?.kind { continue }
        try require(
          error?.code == BackendError.Code.notDatabaseOwner.rawValue && operation == "resetPasswordAsOwner",
          "\(operation) of a backend that cannot answer was answered \(error?.code ?? "with a result")")
      }
      await setAvailable(true)
      try require(try alice.balance() == 100_00, "operations that were not answered changed the balance")
    },
  ]

  static let passwords: [Check] = [
    Check("a password that breaks a rule is refused, by the check, the registration and the change") { probe, _, bob in
      for (password, code) in [
        ("too short", "password_too_short"), (String(repeating: "x", count: 20), "password_repeats"),
        ("passwordpassword", "password_blocked"), (String(repeating: "long ", count: 200), "password_too_long"),
        ("nul \u{0} within the password", "password_has_nul"),
      ] {
        let password = Secret(password)
        try probe.check(newPassword: password).refused("check of a bad password", with: code, .invalid)
        try probe.registration(of: "carol", password).refused("register with a bad password", with: code, .invalid)
        try bob.changePassword(.of("bob"), password).refused("a change to a bad password", with: code, .invalid)
      }
      let own = Secret("the carol of today")
      try probe.check(newPassword: own).refused("a password with the name", with: "password_contains_name", .invalid)
      try probe.backend.check(newPassword: own, for: "bob")
      try probe.register("carol")
    },

    Check("a changed password opens the account, and the old one does not") { probe, _, bob in
      let other = try await probe.logIn("bob")
      let (old, new) = (Secret.of("bob"), Secret.new)
      let grant = try bob.changePassword(old, new).value()
      try require(grant.id == bob.id, "the change made session \(bob.id.rawValue) into another")
      try require(grant.token != bob.token, "the change kept the token")
      try await probe.requireRejection(.ended(.revoked), of: other.token, "another session after the change")
      try await probe.backend.confirm(grant.token)
      try await probe.requireRejection(.superseded, of: bob.token, "the old token")
      try await probe.requireFailure("a login with the old password", of: "bob", old)
      _ = try await probe.logIn("bob", new)
    },

    Check("a change needs the present password, and one that differs from it") { probe, _, bob in
      let old = Secret.of("bob")
      try bob.changePassword(old, old).refused("a change to the same", with: "password_unchanged", .invalid)
      for _ in 1...5 {
        try bob.changePassword(.wrong, .new).notAccepted("a change with a wrong password")
      }
      let wait = BackendError.Kind.throttled(.wait(.seconds(30)))
      try bob.changePassword(old, .new).refused("a change after five failures", with: "throttled", wait)
      await probe.subject.advance(.seconds(30))
      _ = try await probe.logIn("bob")
    },

    Check("of many at once one takes a name, one changes a password and one uses a code") { probe, alice, bob in
      try await probe.requireOneSuccess("registered one name") { try probe.registration(of: "carol").value() }
      try await probe.requireOneSuccess("changed one password") { try alice.changePassword(.of("alice"), .new).value() }
      let code = try bob.makeRecoveryCodes().value()[0]
      try await probe.requireOneSuccess("used one code") { try probe.recover("bob", code).value() }
      _ = try await probe.logIn("bob", .new)
      _ = try await probe.logIn("alice", .new)
    },

    Check("five failures are free; then even the right password waits, and a success forgets them") { probe, alice, _ in
      let right = Secret.of("bob")
      try await probe.guess("bob", times: 4)
      try alice.requireAttempts(of: "bob", 4, nil, "after four failures")
      for round in 1...5 {
        try await probe.requireFailure("guess \(round) of an unknown name", of: "nobody", right)
      }
      try await probe.guess("bob", times: 1)
      for name in ["bob", "nobody"] {
        try await probe.requireFailure(
          "the sixth attempt on \(name)", of: name, right, is: .throttled(.wait(.seconds(30))))
      }
      try alice.requireAttempts(of: "bob", 6, .wait(.seconds(30)), "after six attempts")
      await probe.subject.advance(.seconds(30))
      _ = try await probe.logIn("bob")
      try alice.requireAttempts(of: "bob", 0, nil, "after a success")
    },

    Check("a hundred failures lock an account, not its sessions, and an administrator unlocks it") { probe in
      try probe.register("alice")
      try probe.register("bob")
      for name in ["bob", "alice"] {
        for _ in 0..<100 {
          _ = try await probe.loginFailure(name, .wrong)
          await probe.subject.advance(.seconds(3600))
        }
      }
      try await probe.requireFailure("a login after a hundred failures", of: "bob", is: .throttled(.locked))
      // The last administrator is not locked but only delayed, because nobody else could unlock the
      // account.
      let alice = try await probe.logIn("alice")
      try alice.requireAttempts(of: "bob", 101, .locked, "after a hundred failures and one more attempt")
      let unlocked = try alice.unlock("bob").value()
      try require(unlocked, is: alice.account("bob").value(), "the unlock answered")
      try alice.requireAttempts(of: "bob", 0, nil, "after the unlock")
      _ = try await probe.logIn("bob")
    },
  ]
}
