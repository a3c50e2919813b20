import AuthRules
import AuthSQLite
import Services
import Testing

@testable import AuthAccounts

/// From operations to rules; the compiler compares the inputs and the output of each pair.
@Suite(.timeLimit(.minutes(10))) struct RuleTableTests {
  @Test("each operation has one rule, which has its number, and each number has an operation")
  func complete() {
    let numbers = OperationNumber.allCases
    #expect(Set(Operations.all.keys) == Set(numbers), "add the operation to `Operations.all`")
    #expect(
      numbers.map { Rules.rule(of: $0).number } == numbers,
      "a case of `Rules.rule(of:)` returns the rule of another operation")
    for number in numbers { #expect(Operations.all[number]?.name == "\(number)") }
  }

  @Test("an operation with the number of another one and other inputs is an error, and no rule runs")
  func strangers() throws {
    let (work, authority) = try Workspace.inhabited()
    let events = work.raw.number("SELECT count(*) FROM events")
    let stranger = BackendOperation<(String, Bool), Void, _>(.confirm, .writes, needs: .noSession)
    #expect(code { try authority.rules.perform(stranger, on: ("alice", true)) } == "message_invalid")
    #expect(code { _ = try stranger("alice", true).serve(authority.rules) } == "message_invalid")
    #expect(work.raw.number("SELECT count(*) FROM events") == events)
  }
}
