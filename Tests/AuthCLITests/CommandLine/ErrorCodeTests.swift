import AuthBackend
import AuthCore
import AuthMessages
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Error codes")
struct ErrorCodeTests {
  /// The status that the list has for each code.
  private let statuses = Dictionary(
    uniqueKeysWithValues: ErrorCode.all.map { ($0.code, $0.status) })

  @Test("every code is in snake case and comes with a status that is not success")
  func form() {
    for entry in ErrorCode.all {
      #expect(entry.code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(entry)")
      #expect(entry.status != .done, "\(entry)")
      #expect(!entry.meaning.isEmpty && entry.meaning.last != ".", "\(entry)")
    }
  }

  @Test("the list has every code of the command line, with status 2, and of prompts")
  func commandLine() {
    for code in UsageError.Code.allCases {
      #expect(statuses[code.rawValue] == .usage, "\(code)")
    }
    for code in PromptError.Code.allCases {
      #expect(statuses[code.rawValue] == (code == .unreadableInput ? .cannotTell : .usage), "\(code)")
    }
  }

  @Test("the list has every code of backends, and of an authority that cannot be asked")
  func backends() {
    for code in BackendError.Code.allCases where !ErrorCode.heldByParser.contains(code) {
      #expect(statuses[code.rawValue] == ExitStatus(code.row), "\(code)")
    }
    for cause in Unavailability.Cause.allCases {
      let code = Unavailability(cause, "it").code
      #expect(statuses[code] == .cannotTell, "\(code)")
    }
  }

  @Test("every rule is refused with the status of its row, and with a value for each name in its message")
  func rules() throws {
    var rows = Dictionary(uniqueKeysWithValues: BackendError.Code.allCases.map { ("\($0)", $0.row) })
    for code in BackendError.OperatorCode.allCases { rows["\(code)"] = code.row }
    var used: Set<String> = []
    for path in try TextFile.list("Sources", suffix: ".swift") where !path.contains("/Sources/AuthProgram/") {
      let text = try TextFile.read(path)
      for match in text.matches(of: /\.(refused|invalid)\(\s*\.(\w+)/) {
        let (kind, name) = (match.output.1, String(match.output.2))
        guard let row = rows[name] else { continue }
        used.insert(name)
        #expect(row.status == (kind == "refused" ? .no : .usage), "\(name)")
        let names = row.clause(Array(repeating: "@", count: 9)).filter { $0 == "@" }.count
        #expect(Self.arguments(text[match.range.upperBound...]) == names, "\(name)")
      }
    }
    #expect(used == Set(rows.keys))
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
    #expect(BackendError.Code.idempotencyKeyReused.row.clause().hasSuffix("payment: AMOUNT to NAME"))
    let later = CommandError(BackendError(.refused, "new_rule", ["bob"]))
    #expect(later.status == .no && later.code == "new_rule" && later.message == "new_rule bob")
  }

  @Test("every code that one backend alone has is listed, with its status")
  func oneBackend() throws {
    let codes = try Self.literals()
    #expect(codes.count > 30)
    for (code, status) in codes { #expect(statuses[code] == status, "\(code)") }
  }

  /// The codes of faults in the sources of the backends, each with the status of its kind.
  private static func literals() throws -> [String: AuthProgram.ExitStatus] {
    var codes: [String: AuthProgram.ExitStatus] = [:]
    for path in try TextFile.list("Sources", suffix: ".swift")
    where path.contains("/Sources/Auth") && !path.contains("/Sources/AuthProgram/")
      && !path.contains("/Sources/AuthServiceProgram/") && !path.contains("Testing/")
      // What only operators of a service see.
      && !path.contains("/AuthPostgres/Schema/")
    {
      let text = try TextFile.read(path)
      for match in text.matches(of: /\.unavailable\(\s*\.\w+,\s*"([a-z_]+)"/) {
        codes[String(match.output.1)] = .cannotTell
      }
      for match in text.matches(of: /case \.\w+(?:, \.\w+)*: "((?:file|disk|server|service)_[a-z_]+)"/) {
        codes[String(match.output.1)] = .cannotTell
      }
    }
    return codes
  }

  @Test("no code is listed that nothing uses")
  func used() throws {
    var sources = ""
    for path in try TextFile.list("Sources/AuthProgram", suffix: ".swift") where !path.hasSuffix("/ErrorCode.swift") {
      sources += try TextFile.read(path)
    }
    var foreign = try Set(Self.literals().keys)
    foreign.formUnion(UsageError.Code.allCases.map(\.rawValue))
    foreign.formUnion(PromptError.Code.allCases.map(\.rawValue))
    foreign.formUnion(Unavailability.Cause.allCases.map { Unavailability($0, "it").code })
    for code in ErrorCode.allCases { #expect(sources.contains(".\(code),"), "\(code)") }
    for code in ErrorCode.foreign.flatMap(\.value).map(\.code) { #expect(foreign.contains(code), "\(code)") }
  }
}
