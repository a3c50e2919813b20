import AuthAccounts
import AuthCore
import AuthCoreTesting

extension Sample {
  static let recovery = [
    Sample(Operations.makeRecoveryCodes) { $0.token },
    Sample(Operations.recover) {
      let (name, code) = $0.recovery
      return (name, code, $0.firstPassword)
    },
    Sample(Operations.resetPassword) { ($0.username, $0.token) },
    Sample(Operations.resetPasswordAsOwner) { $0.username },
    Sample(Operations.registration) { $0.token },
    Sample(Operations.setRegistration) { ($0.registration, $0.token) },
    Sample(Operations.registerOther) { ($0.otherName, $0.token) },
    Sample(Operations.deleteAccount) { ($0.username, $0.token) },
  ]
}

extension BackendContract {
  static let recovery: [Check] = [
    Check("a recovery code sets a new password once, however it is typed, and ends the sessions") { probe, _, bob in
      let codes = try bob.makeRecoveryCodes().value()
      let typed = RecoveryCode(typed: Array(codes[3].text.uppercased().utf8.filter { $0 != UInt8(ascii: "-") }))
      let user = try probe.recover("BOB", typed).value()
      try require(user, is: bob.user, "the code of bob opened the account of")
      try await probe.requireRejection(.ended(.revoked), of: bob.token, "a session after the recovery")
      try await probe.requireFailure("the forgotten password", of: "bob")
      _ = try await probe.logIn("bob", .new)
      try probe.recover("bob", codes[3]).notAccepted("a used code")
    },

    Check("a recovery refuses the present password as the new one, and its code can still be used") { probe, _, bob in
      let codes = try bob.makeRecoveryCodes().value()
      try probe.recover("bob", codes[0]).value()
      try probe.recover("bob", codes[1]).refused("the present password", with: "password_unchanged", .invalid)
      try probe.recover("bob", codes[1], .newer).value("the code again")
    },

    Check("new recovery codes take the place of the old ones, and there are ten") { probe, _, bob in
      let old = try bob.makeRecoveryCodes().value()
      let new = try bob.makeRecoveryCodes().value()
      try require(Set(old + new).count == 20, "there are \(Set(old).count) and \(Set(new).count) codes")
      try require((old + new).allSatisfy(\.isWellFormed), "a code does not have the form of one")
      let lengths = Set((old + new).flatMap { $0.text.utf8.split(separator: UInt8(ascii: "-")).map(\.count) })
      try require(lengths.allSatisfy { $0 >= 4 }, "the groups of codes have lengths of \(lengths)")
      try probe.recover("bob", old[0]).notAccepted("an old code")
      try probe.recover("bob", new[9]).value("a new code")
    },

    Check("every code that opens nothing gets one answer, and counts as a wrong password does") { probe, alice, bob in
      let codes = try alice.makeRecoveryCodes().value()
      let odd = RecoveryCode(typed: [0xFF, 0])
      for name in ["bob", "nobody"] {
        for code in [codes[0], .wrong, odd, codes[1], odd] {
          try probe.recover(name, code).notAccepted("a code that opens nothing")
        }
      }
      for name in ["bob", "nobody"] {
        try probe.recover(name, .wrong)
          .refused("the sixth wrong code", with: "throttled", .throttled(.wait(.seconds(30))))
        try await probe.requireFailure("a login after wrong codes", of: name, is: .throttled(.wait(.seconds(30))))
      }
      let names = try bob.events().value().map(\.name)
      try require(names.count { $0 == "authn_recover_fail" } == 5, "five wrong codes left the events \(names)")
      try probe.recover("alice", codes[0]).value("a code that others tried")
    },

    Check("a code opens an account that waits or is locked, and none that is disabled") { probe, alice, bob in
      let codes = try bob.makeRecoveryCodes().value()
      try await probe.guess("bob", times: 5)
      try probe.recover("bob", codes[0]).value("a code for an account that waits")
      try alice.requireAttempts(of: "bob", 0, nil, "after a code was accepted")
      try alice.setDisabled(true, "bob").value()
      try probe.recover("bob", codes[1]).notAccepted("a code for a disabled account")
      try alice.setDisabled(false, "bob").value()
      try probe.recover("bob", codes[1], .newer).value("the same code for the account enabled")
    },

    Check("a new password for a code keeps the rules of passwords, and a bad one uses up no code") { probe, _, bob in
      let codes = try bob.makeRecoveryCodes().value()
      for name in ["bob", "nobody"] {
        try probe.recover(name, codes[0], Secret("short")).refused(
          "a bad password", with: "password_too_short", .invalid)
      }
      try probe.recover("../bob", codes[0]).refused("a bad name", with: "username_invalid", .invalid)
      try probe.recover("bob", codes[0]).value()
    },

    Check("a reset makes a code that works for an hour, the newest only, and changes nothing before") {
      probe, alice, bob in
      let first = try alice.resetPassword("bob").value()
      let second = try alice.resetPassword("bob").value()
      try require(second.user == bob.user && second.validFor == .seconds(3600), "the code says \(second.validFor)")
      try bob.profile().value("the session of the user before the code is used")
      try probe.recover("bob", first.code).notAccepted("an older code")
      await probe.subject.advance(.seconds(3599))
      try probe.recover("bob", second.code).value()
      let again = try await probe.logIn("alice")
      let third = try again.resetPassword("bob").value()
      await probe.subject.advance(.seconds(3600))
      try probe.recover("bob", third.code).notAccepted("an expired code")
      let late = try await probe.logIn("alice")
      try late.resetPassword("dave").refused("a reset for nobody", with: "account_not_found")
      let resets = try late.events(.everyone).value().filter { $0.name == "one_time_code_created" }
      try require(
        resets.map { [$0.actor, $0.account] }, is: .init(repeating: ["alice", "bob"], count: 3), "resets are")
    },

    Check("a changed password voids a one-time code") { probe, alice, bob in
      let code = try alice.resetPassword("bob").value().code
      try bob.changePassword(.of("bob"), .new).value()
      try probe.recover("bob", code).notAccepted("a code from before the change")
    },

    Check("a recovery voids a one-time code that was made before it") { probe, alice, bob in
      let own = try bob.makeRecoveryCodes().value()
      let older = try alice.resetPassword("bob").value().code
      try probe.recover("bob", own[0]).value()
      try probe.recover("bob", older, .newer).notAccepted("a one-time code from before the recovery")
      // It set no password either.
      _ = try await probe.logIn("bob", .new)
    },

    Check("the owner of the database resets a password without a session, and the event says so") { probe, alice, bob in
      let answer = probe.ask(Operations.resetPasswordAsOwner, try Username("bob"))
      if answer.error?.code == BackendError.Code.notDatabaseOwner.rawValue {
        return try answer.refused("a reset by another than the owner", with: "not_database_owner")
      }
      let code = try answer.value("the owner's reset")
      let event = try alice.events(.everyone, Page(limit: 1)).value().first
      try require(
        event?.name == "one_time_code_created" && event?.actor == nil && event?.account == "bob"
          && event?.detail == "reset by the owner of the database", "the event is \(String(describing: event))")
      try require(try probe.recover("bob", code.code).value() == bob.user, "it opened another account")
      try probe.ask(Operations.resetPasswordAsOwner, try Username("nobody"))
        .refused("a reset for nobody", with: "account_not_found")
    },
  ]

  static let registration: [Check] = [
    Check("a closed registration admits only whom an administrator registers, and needs no code to open") {
      probe, alice, _ in
      try require(try alice.registration().value() == .open, "the registration begins closed")
      try alice.setRegistration(.closed).value()
      try require(try alice.registration().value() == .closed, "the registration is still open")
      try probe.check(newUsername: "carol").refused("check of a name", with: "registration_closed")
      try probe.registration(of: "carol", .new).refused("register", with: "registration_closed")
      let invited = try alice.registerOther("Carol").value()
      try require(
        invited.user.username == "carol" && invited.user.role == .member && invited.validFor == .seconds(259_200),
        "the new account is of \(invited.user), its code is valid for \(invited.validFor)")
      try await probe.requireFailure("a login without a password", of: "carol", .new)
      try alice.registerOther("carol").refused("the same name again", with: "username_taken")
      try probe.recover("carol", invited.code).value()
      try require(try await probe.logIn("carol", .new).balance() == 100_00, "it has no credit")
      try alice.setRegistration(.open).value()
      try probe.check(newUsername: "dave").value()
    }
  ]

  static let deletion: [Check] = [
    Check("a deleted account is gone with its sessions, its payments stay, and its name is not given again") {
      probe, alice, bob in
      let code = try bob.makeRecoveryCodes().value()[0]
      let order = try PaymentOrder(minorUnits: 1, to: "bob", key: "k1")
      let paid = try alice.pay(order).value()
      try bob.deleteAccount().refused("deleting an account with money", with: "balance_not_zero")
      try alice.deleteAccount("bob").refused("deleting an account with money", with: "balance_not_zero")
      try bob.pay(100_01, to: "alice", key: "a farewell").value()
      try bob.deleteAccount().value()
      try bob.profile().ended("a session of a deleted account", .accountDeleted)
      try await probe.requireFailure("a login of a deleted account", of: "bob")
      try probe.recover("bob", code).notAccepted("its code")
      try alice.account("bob").refused("a deleted account", with: "account_not_found")
      try require(alice.accounts().value().map(\.user.username), is: ["alice"], "the accounts are")
      let receipt = try alice.receipts(Page(limit: 1)).value().first
      try require(
        receipt?.payer == DeletedAccount.shownName && receipt?.amount.minorUnits == 100_01 && receipt?.key == nil,
        "the receipt of its payment is \(String(describing: receipt))")
      try require(try alice.balance() == 200_00, "the money is gone")
      try require(try alice.pay(order).value("a retry of a payment to it").id == paid.id, "a retry got another receipt")
      for (amount, payee) in [(2, "bob"), (1, "carol")] as [(Int64, String)] {
        let other = try PaymentOrder(minorUnits: amount, to: payee, key: "k1")
        try alice.pay(other).refused("another order under its key", with: "idempotency_key_reused")
      }
      for name in ["bob", "BOB"] {
        try probe.check(newUsername: name).refused("its name", with: "username_taken")
      }
      let events = try alice.events(.everyone).value()
      try require(events.contains { $0.name == "user_deleted" }, "the events are \(events.map(\.name))")
      try require(events.allSatisfy { ![$0.account, $0.actor].contains("bob") }, "events name the deleted account")
      try alice.pay(1, to: "bob").refused("a payment to it", with: "payee_unknown")
    },

    Check("the opening credit of an account without payments is paid back when the account is deleted") {
      probe, alice, bob in
      try alice.deleteAccount("bob").value()
      let event = try alice.events(.everyone).value().first { $0.name == "user_deleted" }
      try require(
        event?.detail == "opening credit of 100.00 paid back", "the event says \(event?.detail ?? "nothing more")")
      try require(try alice.balance() == 100_00, "the credit went to the administrator")
      try bob.profile().ended("a session of a deleted account", .accountDeleted)
    },

    Check("an administrator deletes another account") { probe, alice, bob in
      try bob.pay(100_00, to: "alice").value()
      try alice.deleteAccount("bob").value()
      try bob.sessions().ended("a session of a deleted account", .accountDeleted)
      try alice.deleteAccount("bob").refused("deleting nobody", with: "account_not_found")
      try alice.profile().value("the administrator's own session")
    },
  ]
}
