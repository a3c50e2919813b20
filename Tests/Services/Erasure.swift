package import AuthBackend
package import AuthCore
import Testing

/// The tables of a database, in which a test looks for what a deletion has to erase.
package struct Tables {
  /// The names of all tables.
  let names: [String]
  /// Table and column of each text of an account and its sessions.
  let texts: [[String]]
  /// Table and column of each reference to an account.
  let references: [[String]]
  /// The rows of a query.
  let rows: (String) throws -> [[String]]

  /// - Parameters:
  ///   - names: The query of the names of all tables.
  ///   - texts: That of table and column of each text of an account and its sessions.
  ///   - references: That of table and column of each reference to an account.
  ///   - rows: Runs a statement.
  /// - Throws: What a query throws.
  package init(
    names: String, texts: String, references: String, _ rows: @escaping (String) throws -> [[String]]
  ) throws {
    self.names = try rows(names).map { $0[0] }
    (self.texts, self.references, self.rows) = (try rows(texts), try rows(references), rows)
    #expect(self.names.count > 10 && self.texts.count >= 9 && self.references.count >= 5)
  }
}

extension Backend {
  /// Deletes bob, the second account, after a life that has a row in each table which refers to
  /// accounts, and checks that no text of it is left.
  package func deleteBob(_ password: Secret, _ rules: Rules, checking tables: Tables) throws {
    let bob = try logIn("bob", password).token
    _ = try rules.rename(to: "Robert Tables", token: bob)
    _ = try rules.makeRecoveryCodes(token: bob)
    let secret = try rules.beginTwoStep(token: bob)
    try rules.confirmTwoStep(secret.code(at: try rules.database.read { $0.wallTime }), token: bob)
    _ = try challenge("bob", password)
    _ = try rules.pay(try order("100", to: "alice", key: "bobs-secret-plan"), token: bob)
    // A word of bob in each text that this left empty.
    for text in tables.texts {
      let owner = text[0].hasSuffix("accounts") ? "id" : "account"
      _ = try tables.rows("UPDATE \(text[0]) SET \(text[1]) = coalesce(\(text[1]), 'bobs') WHERE \(owner) = 2")
    }
    func rows(_ reference: [String]) throws -> Bool {
      try !tables.rows("SELECT 1 FROM \(reference[0]) WHERE \(reference[1]) = 2").isEmpty
    }
    for reference in tables.references { #expect(try rows(reference), "give bob a row: \(reference)") }
    try rules.deleteAccount(token: bob)
    for name in tables.names {
      for row in try tables.rows("SELECT * FROM \(name)") {
        for word in ["bob", "Robert", "his-", "192.0.2.77", "secret-plan"] {
          #expect(!row.joined(separator: " ").contains(word), "erase \(word) in \(name): \(row)")
        }
      }
    }
    // Events and ended sessions keep their rows, without what identifies the user.
    for reference in tables.references where !reference[0].hasSuffix("sessions") && !reference[0].hasSuffix("events") {
      #expect(try !rows(reference), "delete \(reference)")
    }
  }
}
