import Testing

@testable import AuthProgram
@testable import CommandLineKit

/// What is refused and why, and which help is shown, is in the transcript `help-and-usage.t`.
@Suite("Parsing rules")
struct ParserTests {
  private func parse(_ words: Word..., environment: Word? = nil) throws -> ParsedWords {
    guard case .request(_, let parsed) = try AuthTool.tool.parse(words, environment: { _ in environment }) else {
      throw Unexpected()
    }
    return parsed
  }

  struct Unexpected: Error {}

  @Test("--opt value and --opt=value are the same, before or after the command and its arguments")
  func forms() throws {
    let paid = try parse("pay", "12.5", "--to", "bob")
    #expect(paid.path == ["auth-cli", "pay"] && paid[Options.json] == false)
    for line in [
      ["pay", "12.5", "--to=bob"], ["--to", "bob", "pay", "12.5"], ["pay", "--to", "bob", "12.5"],
      ["--context", "work", "pay", "12.5", "--to=bob"],
    ] as [[Word]] {
      guard case .request(_, let parsed) = try AuthTool.tool.parse(line) else { throw Unexpected() }
      #expect(parsed.path == paid.path && parsed.given.filter { $0.name != "context" } == paid.given, "\(line)")
    }
    #expect(try parse("profile", "--name=a=b").given == [.init(name: "name", words: ["a=b"])])
    #expect(try parse("sessions", "--").given == [])
    #expect(try parse("whoami").path == ["auth-cli", "status"])
  }

  @Test("what an option reads from the environment, or not at all, is known")
  func origin() throws {
    #expect(try parse("status", environment: "work").origin(of: Options.context) == .environment("AUTH_CLI_CONTEXT"))
    let both = try parse("status", "--context", "home", environment: "work")
    #expect(both.origin(of: Options.context) == .commandLine)
    #expect(try parse("machine", environment: "work").origin(of: Options.context) == .notGiven)
  }
}
