import AuthBackend
import AuthCore
import Testing

extension RulesBackend {
  /// Deletes bob, the second account, after a life that has a row in each table which refers to
  /// accounts, and checks that no text of it is left.
  ///
  /// - Parameters:
  ///   - names: The query of the names of all tables.
  ///   - texts: That of table and column of each text of an account and its sessions.
  ///   - references: That of table and column of each reference to an account.
  ///   - rows: Runs a statement.
  /// - Throws: What a query or an operation throws.
  package func deleteBob(
    names: String, texts: String, references: String, rows: (String) throws -> [[String]]
  ) throws {
    let (names, texts, references) = (try rows(names), try rows(texts), try rows(references))
    #expect(names.count > 10 && texts.count >= 9 && references.count >= 5)
    let bob = try logIn("bob", bobPassword).token
    _ = try rules.rename(to: "Robert Tables", token: bob)
    _ = try rules.makeRecoveryCodes(token: bob)
    _ = try turnTwoStepOn(bob)
    _ = try challenge("bob", bobPassword)
    _ = try rules.pay(try PaymentOrder("100", to: "alice", key: "bobs-secret-plan"), token: bob)
    // A word of bob in each text that this left empty.
    for text in texts {
      let owner = text[0].hasSuffix("accounts") ? "id" : "account"
      _ = try rows("UPDATE \(text[0]) SET \(text[1]) = coalesce(\(text[1]), 'bobs') WHERE \(owner) = 2")
    }
    func isUsed(_ reference: [String]) throws -> Bool {
      try !rows("SELECT 1 FROM \(reference[0]) WHERE \(reference[1]) = 2").isEmpty
    }
    for reference in references { #expect(try isUsed(reference), "give bob a row: \(reference)") }
    try rules.deleteAccount(token: bob)
    for name in names {
      for row in try rows("SELECT * FROM \(name[0])") {
        for word in ["bob", "Robert", "his-", "192.0.2.77", "secret-plan"] {
          #expect(!row.joined(separator: " ").contains(word), "erase \(word) in \(name[0]): \(row)")
        }
      }
    }
    // Events and ended sessions keep their rows, without what identifies the user.
    for reference in references where !reference[0].hasSuffix("sessions") && !reference[0].hasSuffix("events") {
      #expect(try !isUsed(reference), "delete \(reference)")
    }
  }
}
