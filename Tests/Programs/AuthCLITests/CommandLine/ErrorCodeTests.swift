import AuthAccounts
import AuthCore
import AuthMessages
import Testing

@testable import CommandLineKit

@Suite("Error codes", .timeLimit(.minutes(10)))
struct ErrorCodeTests {
  @Test("every code is in snake case and comes with a status that is not success")
  func form() {
    for entry in ErrorGlossary.all {
      #expect(entry.code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(entry)")
      #expect(entry.status != .done, "\(entry)")
      #expect(!entry.meaning.isEmpty && entry.meaning.last != ".", "\(entry)")
    }
  }

  @Test("every error of a backend has the status of its row, and a value for each name in the row")
  func rules() throws {
    var rows = Dictionary(uniqueKeysWithValues: BackendError.Code.allCases.map { ("\($0)", $0.text) })
    for code in BackendError.OperatorCode.allCases { rows["\(code)"] = code.text }
    for code in BackendError.FailureCode.allCases { rows["\(code)"] = code.text }
    var used: Set<String> = []
    for path in try TextFile.list("Sources", suffix: ".swift") where !path.contains("/AuthAccounts/Failures/") {
      let text = try TextFile.read(path)
      for match in text.matches(of: /\.(refused|invalid|unavailable)\(\s*\.(\w+)/) {
        let (kind, name) = (match.output.1, String(match.output.2))
        guard let row = rows[name] else { continue }
        used.insert(name)
        let status: CommandLineKit.ExitStatus = kind == "refused" ? .no : kind == "invalid" ? .usage : .cannotTell
        let error = CommandError(row, Array(repeating: "@", count: 9))
        #expect(error.status == status, "\(name)")
        let names = (error.message + error.hint.description).filter { $0 == "@" }.count
        let values = Self.arguments(text[match.range.upperBound...])
        // Only a payment has a key.
        #expect(values == names || name == "outcomeUnknown" && values == names - 1, "\(name)")
      }
      // Codes that are chosen before they are thrown.
      if ["/AuthPostgres/", "/AuthServer/", "/AuthService/"].contains(where: path.contains) {
        for match in text.matches(of: /(?:[=?:,] |\n +|\.FailureCode)\.(server\w+|service\w+)/) {
          used.insert(String(match.output.1))
        }
      }
    }
    #expect(used.isSuperset(of: rows.keys), "\(Set(rows.keys).subtracting(used))")
  }

  /// How many arguments follow before the parenthesis closes.
  private static func arguments(_ text: Substring) -> Int {
    var (depth, count, isInString) = (0, 0, false)
    for character in text {
      if character == "\"" { isInString.toggle() }
      if isInString { continue }
      switch character {
      case "(": depth += 1
      case ")" where depth == 0: return count
      case ")": depth -= 1
      case "," where depth == 0: count += 1
      default: break
      }
    }
    return count
  }

  @Test("a message has the values of its error in their places")
  func values() {
    let error = BackendError.refused(.idempotencyKeyReused, "order {7}", "12.50", "bob")
    #expect(CommandError(error).message == "the key 'order {7}' was used for another payment: 12.50 to bob")
    #expect(BackendError.Code.idempotencyKeyReused.text.meaning.hasSuffix("payment: AMOUNT to NAME"))
    let later = CommandError(BackendError(.refused, "new_rule", ["bob"]))
    #expect(later.status == .no && later.code == "new_rule" && later.message == "new_rule bob")
    let failure = CommandError(BackendError.failure(.unwritable, "new_failure", ["5"]))
    #expect(failure.status == .cannotTell && failure.message == "the service reported new_failure 5")
    #expect(!failure.hint.description.contains("nothing was changed"))
  }

  @Test("no code is listed that nothing uses")
  func used() throws {
    var sources = ""
    let table = "/AuthMessages/ErrorCode.swift"
    for folder in ["AuthCLIProgram", "AuthFullScreen", "AuthScreens", "AuthMessages"] {
      for path in try TextFile.list("Sources/Programs/" + folder, suffix: ".swift") where !path.hasSuffix(table) {
        sources += try TextFile.read(path)
      }
    }
    let used = Set(sources.matches(of: /\.(\w+)/).map { String($0.output.1) })
    for code in ErrorCode.allCases { #expect(used.contains("\(code)"), "\(code)") }
  }
}
