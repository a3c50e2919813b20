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

  private func problem(_ line: String, environment: [String: Word] = [:]) throws -> UsageError.Problem {
    let words = line.split(separator: " ").map { Word(String($0)) }
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
    #expect(try request("sessions", "--") == AnyHashable(SessionsCommand(isShort: false)))
  }

  @Test("options come before or after the command and its arguments")
  func optionOrder() throws {
    #expect(try request("--to", "bob", "pay", "12.5") == paid())
    #expect(try request("pay", "--to", "bob", "12.5") == paid())
    #expect(try request("--json", "pay", "12.5", "--quiet", "--to=bob") == paid())
    #expect(
      try request("--administrator", "require", "--fresh") == request("require", "--administrator", "--fresh"))
  }

  @Test(
    "what is not understood is refused with its cause, and with the nearest name if that is near",
    arguments: [
      // An option twice is an error.
      ("pay 1 --to bob --to bob", .repeatedOption("--to")), ("status --json --json", .repeatedOption("--json")),
      ("status -q --quiet", .repeatedOption("--quiet")),
      // A name is never abbreviated and never of another case.
      ("pay 1 --t bob", .unknownOption("--t", nearest: "--to")),
      ("stat", .unknownCommand("stat", nearest: "status")), ("Login", .unknownCommand("Login", nearest: "login")),
      // The nearest name is asked about, and a far one is not.
      ("lgoin", .unknownCommand("lgoin", nearest: "login")),
      ("frobnicate", .unknownCommand("frobnicate", nearest: nil)),
      ("sessions revok 1", .unknownCommand("revok", nearest: "revoke")),
      ("status --josn", .unknownOption("--josn", nearest: "--json")),
      // The typo is reported before what is missing or malformed.
      ("pay --too bob", .unknownOption("--too", nearest: "--to")),
      ("pay x --to bob --jsno", .unknownOption("--jsno", nearest: "--json")),
      ("pay --to --jsno", .unknownOption("--jsno", nearest: "--json")),
      ("--josn", .unknownOption("--josn", nearest: "--json")),
      // What is missing is named.
      ("pay 1", .missingOption("--to USER")), ("pay --to bob", .missingArgument("AMOUNT", because: nil)),
      ("pay 1 --to", .missingValue("--to", valueName: "USER", saw: nil)),
      ("pay 1 --to --json", .missingValue("--to", valueName: "USER", saw: "--json")),
      ("accounts", .missingSubcommand(ofAccounts)),
      ("login --password-stdin", .missingArgument("USER", because: "--password-stdin")),
      // What does not belong is refused with its owner.
      ("home --to bob", .misplacedOption("--to", belongsTo: ["pay"])),
      ("status --json=yes", .unexpectedValue("--json", "yes")),
      ("status --help=yes", .unexpectedValue("--help", "yes")),
      ("home now", .extraArgument("now", nearest: nil)), ("pay 1 2 --to bob", .extraArgument("2", nearest: nil)),
      // A word too many is asked about as the value of the option that it fits, unless it fits two:
      // a moment, and a number.
      ("pay 1 alice", .extraArgument("alice", nearest: "--to alice")),
      ("events 8h", .extraArgument("8h", nearest: nil)),
      ("receipts 42", .extraArgument("42", nearest: nil)), ("profile Ada", .unknownCommand("Ada", nearest: nil)),
      // After -- every word is an argument.
      ("-- status", .missingCommand), ("sessions -- revoke", .unknownCommand("revoke", nearest: "revoke")),
    ] as [(String, UsageError.Problem)])
  func problems(_ line: String, _ expected: UsageError.Problem) throws {
    #expect(try problem(line) == expected)
  }

  private static let ofAccounts = [
    "list", "show", "disable", "enable", "unlock", "reset-password", "promote", "demote", "delete", "registration",
    "two-step",
  ]

  @Test(
    "a value that is malformed is refused with its name",
    arguments: [
      // --opt= is the empty value, not a missing one.
      ("pay 1 --to=", "--to"), ("login -- --json", "USER"), ("login -- --help", "USER"),
      // A negative amount is none after -- either.
      ("pay --to bob -- -5", "AMOUNT"), ("receipts --limit -5", "--limit"),
    ])
  func malformed(_ line: String, _ name: String) throws {
    guard case .malformedValue(_, name, _, _) = try problem(line) else { throw Unexpected() }
  }

  @Test("a negative amount is neither an option nor an amount, and the message says both")
  func negativeAmount() throws {
    guard case .signedNumber("-5", "AMOUNT", _) = try problem("pay -5 --to bob") else { throw Unexpected() }
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
