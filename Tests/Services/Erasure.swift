import AuthBackend
import AuthCore
import Testing

extension RulesBackend {
  /// Deletes bob, the second account, when each table that refers to accounts has a row of his, and
  /// checks that no text of his is left.
  ///
  /// - Parameters:
  ///   - columns: The query of table, column and type of all columns.
  ///   - references: That of table and column of each reference to an account.
  ///   - rows: Runs a statement.
  /// - Throws: What a query or an operation throws.
  package func deleteBob(
    columns: String, references: String, rows: (String) throws -> [[String]]
  ) throws {
    let (columns, references) = (try rows(columns), try rows(references))
    let names = Set(columns.map { $0[0] })
    let texts = columns.filter { column in
      ["accounts", "sessions"].contains { column[0].hasSuffix($0) } && column[2].lowercased() == "text"
        && column[1] != "ended_reason"
    }
    #expect(names.count > 10 && texts.count >= 9 && references.count >= 5)
    let bob = try logIn("bob", bobPassword).token
    _ = try rules.rename(to: "Robert Tables", token: bob)
    _ = try rules.pay(try PaymentOrder("100", to: "alice", key: "bobs-secret-plan"), token: bob)
    // A word of bob in each text that this left empty.
    for text in texts {
      let owner = text[0].hasSuffix("accounts") ? "id" : "account"
      _ = try rows("UPDATE \(text[0]) SET \(text[1]) = coalesce(\(text[1]), 'bobs') WHERE \(owner) = 2")
    }
    func isUsed(_ reference: [String]) throws -> Bool {
      try !rows("SELECT 1 FROM \(reference[0]) WHERE \(reference[1]) = 2").isEmpty
    }
    // A row in each table that refers to accounts and has none of bob yet.
    for reference in try references.filter({ try !isUsed($0) }) {
      let own = columns.filter { $0[0] == reference[0] }
      let values = own.map { column in
        let word = column[1] == reference[1] ? "2" : column[2].lowercased().contains("int") ? "1" : "bobs"
        return "CAST('\(word)' AS \(column[2]))"
      }
      let names = own.map { $0[1] }.joined(separator: ", ")
      _ = try rows("INSERT INTO \(reference[0])(\(names)) VALUES (\(values.joined(separator: ", ")))")
    }
    for reference in references { #expect(try isUsed(reference)) }
    try rules.deleteAccount(token: bob)
    for name in names {
      for row in try rows("SELECT * FROM \(name)") {
        for word in ["bob", "Robert", "his-", "192.0.2.77", "secret-plan"] {
          #expect(!row.joined(separator: " ").contains(word), "erase \(word) in \(name): \(row)")
        }
      }
    }
    // Events and ended sessions keep their rows, without what identifies the user.
    for reference in references where !reference[0].hasSuffix("sessions") && !reference[0].hasSuffix("events") {
      #expect(try !isUsed(reference), "delete the rows of bob: \(reference)")
    }
  }
}
