import AuthAccounts
import AuthCore
import AuthCoreTesting

extension Sample {
  static let payments = [
    Sample(Operations.earlierPayment) { (try $0.order, $0.token) },
    Sample(Operations.pay) { (try $0.order, $0.token) },
    Sample(Operations.receipts) { ($0.page, $0.token) },
  ]
}

extension BackendContract {
  static let payments: [Check] = [
    Check("a payment moves both balances, and both see the receipt") { probe, alice, bob in
      let receipt = try alice.pay(12_50, to: "bob").value()
      try require(
        receipt.payer == "alice" && receipt.payee == "bob" && receipt.amount.minorUnits == 12_50 && receipt.key == nil
          && !receipt.isRepetition, "12.50 from alice to bob has the receipt \(receipt)")
      try require([alice.balance(), bob.balance()], is: [87_50, 112_50], "after 12.50 the balances are")
      for login in [alice, bob] {
        try require(login.receipts().value().first, is: receipt, "\(login.user.username) sees the receipt")
      }
    },

    Check("receipts come newest first, in pages, and within times") { probe, alice, bob in
      try probe.register("carol")
      for amount in [1, 2, 3] as [Int64] {
        await probe.subject.advance(.seconds(1))
        try alice.pay(amount, to: "bob").value()
      }
      try bob.pay(5, to: "carol").value()
      let all = try alice.receipts().value()
      // The oldest receipt is the opening credit.
      try require(
        all.map(\.amount.minorUnits) == [3, 2, 1, 100_00] && all.last?.payer == nil, "the receipts are \(all)")
      try requirePages(of: all, \.id, \.madeAt) { alice.receipts($0) }
    },

    Check("receipts can be filtered by a text in their number, amount or other name") { probe, alice, bob in
      try probe.register("carol")
      try alice.pay(12_50, to: "bob").value()
      try alice.pay(1_05, to: "carol").value()
      try bob.pay(7_00, to: "alice").value()
      let all = try alice.receipts().value()
      try require(all.count > 2, "after three payments there are \(all.count) receipts")
      func expect(_ text: String, finds rows: [Receipt]) throws {
        try require(alice.receipts(Page(matching: text)).value(), is: rows, "the receipts that contain \(text) are")
      }
      try expect("BO", finds: [all[0], all[2]])
      try expect("alice", finds: [])
      try expect("-12.50", finds: [all[2]])
      try expect("+7", finds: [all[0]])
      try expect("1.05", finds: [all[1]])
      for text in ["%", "_", "!", "b%b", "'"] { try expect(text, finds: []) }
      let numbered = try alice.receipts(Page(matching: String(all[1].id))).value()
      try require(numbered.contains(all[1]), "a number finds nothing")
      let page = try alice.receipts(Page(matching: "bob", before: all[0].id, limit: 1)).value()
      try require(page, is: [all[2]], "the next page of a filter is")
    },

    Check("a payment that a rule forbids moves nothing") { probe, alice, bob in
      try probe.register("carol")
      try alice.setDisabled(true, "carol").value()
      for (amount, payee, code) in [
        (100_01, "bob", "insufficient_funds"), (1, "alice", "payee_is_payer"), (1, "dave", "payee_unknown"),
        (1, "carol", "payee_disabled"),
      ] as [(Int64, String, String)] {
        try alice.pay(amount, to: payee).refused("paying \(payee)", with: code, .refused)
      }
      try require([alice.balance(), bob.balance()], is: [100_00, 100_00], "after refused payments the balances are")
      try require(try alice.receipts().value().count == 1, "a refused payment left a receipt")
      try alice.pay(100_00, to: "bob").value("paying all there is")
    },

    Check("a repeated order under the same key is paid once, and asks for nothing again") { probe, alice, _ in
      let order = try PaymentOrder(minorUnits: 100_00, to: "bob", key: "rent")
      try require(try alice.earlierPayment(order).value() == nil, "an unused key has a receipt")
      let first = try alice.pay(order).value()
      try require(first.key == "rent" && !first.isRepetition, "the first receipt is \(first)")
      // The password is no longer fresh, and no money is left.
      await probe.subject.advance(probe.backend.policy.fresh)
      let again = try alice.pay(order).value("the repeated payment")
      try require(again, is: first.asRepetition, "the repeated payment has the receipt")
      try require(alice.earlierPayment(order).value(), is: again, "the receipt of the key is")
      try require(try alice.balance() == 0, "the repeated payment moved money")
      let unkeyed = try PaymentOrder(minorUnits: 1, to: "bob")
      try require(try alice.earlierPayment(unkeyed).value() == nil, "an order without key has a receipt")
    },

    Check("a key that was used for another order is refused; another payer may use it") { probe, alice, bob in
      try alice.pay(1, to: "bob", key: "k").value()
      for (amount, payee) in [(2, "bob"), (1, "carol")] as [(Int64, String)] {
        let other = try PaymentOrder(minorUnits: amount, to: payee, key: "k")
        try alice.pay(other).refused("another order", with: "idempotency_key_reused")
        try alice.earlierPayment(other).refused("a look for another", with: "idempotency_key_reused")
      }
      try require(bob.receipts(Page(limit: 1)).value().map(\.key), is: [nil], "the payee got the payer's key:")
      try require(try alice.receipts(Page(limit: 1)).value().map(\.key) == ["k"], "the payer did not get the key")
      let mine = try bob.pay(1, to: "alice", key: "k").value("the same key of another payer")
      try require(!mine.isRepetition, "a payment was taken for that of another payer")
      try require(try alice.balance() == 100_00, "one payment each way did not leave the balance")
    },

    Check("many at once with one key pay once, and each gets the receipt") { probe, alice, bob in
      let order = try PaymentOrder(minorUnits: 1, to: "bob", key: "once")
      let paid = await withTaskGroup(of: Receipt?.self) { group in
        for _ in 0..<8 { group.addTask { try? alice.pay(order).value() } }
        return await group.reduce(into: [Receipt]()) { if let receipt = $1 { $0.append(receipt) } }
      }
      try require(paid.count == 8, "\(8 - paid.count) of 8 got no receipt")
      try require(Set(paid.map(\.id)).count == 1, "one key made \(Set(paid.map(\.id)).count) payments")
      try require(paid.count { !$0.isRepetition } == 1, "not exactly one was told that it paid")
      try require(bob.balance(), is: 100_01, "after one payment of 0.01 the payee holds")
    },

    Check("a payment is activity, and reading is none") { probe, alice, bob in
      let policy = probe.backend.policy
      await probe.subject.advance(policy.fresh - .seconds(1))
      try alice.pay(1, to: "bob").value()
      try bob.profile().value()
      await probe.subject.advance(policy.idle - policy.fresh + .seconds(1))
      try alice.profile().value("a session that paid")
      try bob.profile().ended("a session that only read", .expired(.idle))
    },
  ]
}
