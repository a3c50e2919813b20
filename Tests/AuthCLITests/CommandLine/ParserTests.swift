import AuthBackend
import AuthDevice
import AuthSQLite
import Testing
import TextFormat

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Parsing rules")
struct ParserTests {
  let parser = Parser(AuthTool.tool)

  private func request(_ words: Word..., environment: [String: Word] = [:]) throws -> AnyHashable {
    guard case .request(let body, _) = try parser.parse(words, environment: { environment[$0] }) else {
      throw Unexpected()
    }
    return AnyHashable(body)
  }

  private func problem(_ words: Word..., environment: [String: Word] = [:]) throws -> UsageError.Problem {
    do {
      let result = try parser.parse(words, environment: { environment[$0] })
      throw Unexpected(result: "\(result)")
    } catch let error as UsageError {
      return error.problem
    }
  }

  struct Unexpected: Error { var result = "" }

  private func paid() throws -> AnyHashable {
    AnyHashable(PayCommand(amount: try Amount("12.5"), payee: try Username("bob"), idempotencyKey: nil))
  }

  @Test("--opt value and --opt=value are the same")
  func valueForms() throws {
    #expect(try request("pay", "12.50", "--to", "bob") == paid())
    #expect(try request("pay", "12.50", "--to=bob") == paid())
    #expect(try request("profile", "--name=a=b") == AnyHashable(ProfileCommand(newName: "a=b")))
  }

  @Test("options come before or after the command and its arguments")
  func optionOrder() throws {
    #expect(try request("--to", "bob", "pay", "12.5") == paid())
    #expect(try request("pay", "--to", "bob", "12.5") == paid())
    #expect(try request("--json", "pay", "12.5", "--quiet", "--to=bob") == paid())
  }

  @Test("--opt= is the empty value, not a missing one")
  func emptyValue() throws {
    guard case .malformedValue("", "--to", _, _) = try problem("pay", "1", "--to=") else { throw Unexpected() }
  }

  @Test("after -- every word is an argument")
  func terminator() throws {
    for word in ["--json", "--help"] as [Word] {
      guard case .malformedValue(word, "USER", _, _) = try problem("login", "--", word) else { throw Unexpected() }
    }
    #expect(try problem("--", "status") == .missingCommand)
    #expect(try problem("sessions", "--", "revoke") == .unknownCommand("revoke", nearest: "revoke"))
    #expect(try request("sessions", "--") == AnyHashable(SessionsCommand(isShort: false)))
  }

  @Test("an option twice is an error")
  func repeatedOption() throws {
    #expect(try problem("pay", "1", "--to", "bob", "--to", "bob") == .repeatedOption("--to"))
    #expect(try problem("status", "--json", "--json") == .repeatedOption("--json"))
    #expect(try problem("status", "-q", "--quiet") == .repeatedOption("--quiet"))
  }

  @Test("a name is never abbreviated and never of another case")
  func noAbbreviation() throws {
    #expect(try problem("pay", "1", "--t", "bob") == .unknownOption("--t", nearest: "--to"))
    #expect(try problem("stat") == .unknownCommand("stat", nearest: "status"))
    #expect(try problem("Login") == .unknownCommand("Login", nearest: "login"))
  }

  @Test("the nearest name is asked about, and a far one is not")
  func didYouMean() throws {
    #expect(try problem("lgoin") == .unknownCommand("lgoin", nearest: "login"))
    #expect(try problem("sessions", "revok", "1") == .unknownCommand("revok", nearest: "revoke"))
    #expect(try problem("status", "--josn") == .unknownOption("--josn", nearest: "--json"))
    #expect(try problem("frobnicate") == .unknownCommand("frobnicate", nearest: nil))
  }

  @Test("the typo is reported before what is missing or malformed")
  func typoFirst() throws {
    #expect(try problem("pay", "--too", "bob") == .unknownOption("--too", nearest: "--to"))
    #expect(try problem("pay", "x", "--to", "bob", "--jsno") == .unknownOption("--jsno", nearest: "--json"))
    #expect(try problem("pay", "--to", "--jsno") == .unknownOption("--jsno", nearest: "--json"))
    #expect(try problem("--josn") == .unknownOption("--josn", nearest: "--json"))
  }

  @Test("what is missing is named")
  func missing() throws {
    #expect(try problem("pay", "1") == .missingOption("--to USER"))
    #expect(try problem("pay", "--to", "bob") == .missingArgument("AMOUNT", because: nil))
    #expect(try problem("pay", "1", "--to") == .missingValue("--to", valueName: "USER", saw: nil))
    #expect(try problem("pay", "1", "--to", "--json") == .missingValue("--to", valueName: "USER", saw: "--json"))
    let ofAccounts = [
      "list", "show", "disable", "enable", "unlock", "reset-password", "promote", "demote", "delete", "registration",
      "two-step",
    ]
    #expect(try problem("accounts") == .missingSubcommand(ofAccounts))
    #expect(try problem("login", "--password-stdin") == .missingArgument("USER", because: "--password-stdin"))
  }

  @Test("a negative amount is neither an option nor an amount, and the message says both")
  func negativeAmount() throws {
    guard case .signedNumber("-5", "AMOUNT", _) = try problem("pay", "-5", "--to", "bob") else { throw Unexpected() }
    guard case .malformedValue("-5", "AMOUNT", _, _) = try problem("pay", "--to", "bob", "--", "-5") else {
      throw Unexpected()
    }
    guard case .malformedValue("-5", "--limit", _, _) = try problem("receipts", "--limit", "-5") else {
      throw Unexpected()
    }
  }

  @Test("what does not belong is refused with its owner")
  func misplaced() throws {
    #expect(try problem("home", "--to", "bob") == .misplacedOption("--to", belongsTo: ["pay"]))
    #expect(try problem("status", "--json=yes") == .unexpectedValue("--json", "yes"))
    #expect(try problem("status", "--help=yes") == .unexpectedValue("--help", "yes"))
    #expect(try problem("home", "now") == .extraArgument("now", nearest: nil))
    #expect(try problem("pay", "1", "2", "--to", "bob") == .extraArgument("2", nearest: nil))
  }

  @Test("a word too many is asked about as the value of the option that it fits")
  func extraWord() throws {
    #expect(try problem("pay", "1", "alice") == .extraArgument("alice", nearest: "--to alice"))
    // Two options take a moment, and two a number.
    #expect(try problem("events", "8h") == .extraArgument("8h", nearest: nil))
    #expect(try problem("receipts", "42") == .extraArgument("42", nearest: nil))
    #expect(try problem("profile", "Alice B.") == .unknownCommand("Alice B.", nearest: nil))
    let error = UsageError(problem: .extraArgument("alice", nearest: "--to alice"), path: ["auth-cli", "pay"])
    #expect(error.message == #"unexpected "alice"; did you mean --to alice?"#)
  }

  @Test(
    "help anywhere before -- wins over every mistake",
    arguments: [
      (["--help"], []), (["pay", "-h"], ["pay"]), (["pay", "--to", "--help"], ["pay"]), (["-h", "pay", "x"], ["pay"]),
      (["nonsense", "--help"], []), (["pay", "--bogus", "--to", "--help"], ["pay"]),
      (["--context", "work", "sessions", "revoke", "-h"], ["sessions", "revoke"]), (["whoami", "-h"], ["status"]),
      (["--version", "--help"], []),
    ] as [([Word], [String])])
  func help(_ words: [Word], _ topic: [String]) throws {
    guard case .help(topic) = try parser.parse(words) else { throw Unexpected() }
  }

  @Test("no command is a question for help; --version wins over all but help")
  func overviewAndVersion() throws {
    guard case .help([]) = try parser.parse([]) else { throw Unexpected() }
    guard case .help([]) = try parser.parse(["--json"]) else { throw Unexpected() }
    guard case .version = try parser.parse(["pay", "--version"]) else { throw Unexpected() }
  }

  @Test("an alias is the command")
  func alias() throws {
    #expect(try request("whoami") == AnyHashable(StatusCommand(isShort: false)))
  }

  @Test("flag beats environment beats nothing, and the origin is known")
  func environment() throws {
    func globals(_ words: [Word], _ environment: [String: Word]) throws -> GlobalOptions {
      guard case .request(_, let parsed) = try parser.parse(words, environment: { environment[$0] }) else {
        throw Unexpected()
      }
      return GlobalOptions(parsed)
    }
    let variables: [String: Word] = ["AUTH_CLI_CONTEXT": "work"]
    #expect(try globals(["status"], [:]).context == nil)
    #expect(try globals(["status"], ["AUTH_CLI_CONTEXT": ""]).context == nil)
    let fromEnvironment = try globals(["status"], variables)
    #expect(fromEnvironment.context?.description == "work")
    #expect(fromEnvironment.contextVariable == "AUTH_CLI_CONTEXT")
    let fromFlag = try globals(["status", "--context", "home"], variables)
    #expect(fromFlag.context?.description == "home")
    #expect(fromFlag.contextVariable == nil)
    guard
      case .malformedVariable("../x", "AUTH_CLI_CONTEXT", _, _) =
        try problem("status", environment: ["AUTH_CLI_CONTEXT": "../x"])
    else { throw Unexpected() }
    // What uses no context does not look for one.
    for command in ["help", "man", "machine"] as [Word] {
      #expect(try globals([command], ["AUTH_CLI_CONTEXT": "../x"]).context == nil)
    }
  }

  @Test("a line that is not understood still tells whether it wants JSON")
  func mentions() {
    #expect(parser.mentions(Options.json, in: ["lgoin", "--json"]))
    #expect(!parser.mentions(Options.json, in: ["lgoin", "--", "--json"]))
    #expect(!parser.mentions(Options.json, in: ["lgoin"]))
  }
}
