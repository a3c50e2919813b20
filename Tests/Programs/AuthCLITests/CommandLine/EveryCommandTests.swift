import Foundation
import Programs
import Terminals
import Testing

@testable import AuthCLIProgram
@testable import CommandLineKit

/// What holds for every command, asked of each in the list: a new one needs no entry here.
@Suite("Every command", .timeLimit(.minutes(10)))
struct EveryCommandTests {
  /// A home in which alice is logged in, to be copied.
  private static let loggedIn = Task { try await CommandHome(loggedIn: true) }

  /// The commands that do something, each with the first example that is no shell line.
  ///
  /// `watch` runs until it is stopped, and `mcp` speaks another protocol: they have their own
  /// tests.
  static let lines = AuthTool.tool.locations
    .filter { $0.command.request != nil && ![["watch"], ["mcp"]].contains($0.path) }
    .map { location in
      let plain = location.command.examples.first { !$0.line.contains { "<>|&'".contains($0) } }?.line
      let line = plain ?? location.path.joined(separator: " ")
      let readsPassword = location.command.options.contains { $0.long == "password-stdin" }
      return readsPassword ? "\(line) --password-stdin" : line
    }

  /// The line with another option: before a command that it runs.
  private static func adding(_ option: String, to line: String) -> String {
    line.contains(" -- ") ? line.replacing(" -- ", with: " \(option) -- ") : "\(line) \(option)"
  }

  /// What the command prints on its standard output alone; its input is a password.
  private func output(of line: String) async throws -> (status: Int32, text: String) {
    let home = try await Self.loggedIn.value.copy()
    let shell = Program(
      "sh", ["-c", "exec \(home.words(line).joined(separator: " ")) 2>/dev/null"], environment: home.environment,
      input: Array((CommandHome.alice).utf8), timeLimit: .seconds(60))
    let outcome = try await shell.run()
    guard case .exited(let status) = outcome.ending else { throw PseudoTerminal.Failure(description: outcome.text) }
    return (status, outcome.text)
  }

  @Test("one JSON document on standard output, with the status that its refusal names", arguments: lines)
  func json(_ line: String) async throws {
    let (status, text) = try await output(of: Self.adding("--json", to: line))
    #expect(text.hasSuffix("\n") && text.filter { $0 == "\n" }.count == 1, "\(text)")
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["version"] as? Int == 1)
    if status > 1 || document["code"] != nil { #expect(document["status"] as? Int == Int(status), "\(text)") }
    #expect(try Self.statuses(of: line).contains(status), "\(line) ends with \(status), which its help does not list")
  }

  @Test("without a login a status of its declaration, and commands to paste in the same context", arguments: lines)
  func loggedOut(_ line: String) async throws {
    let home = try await CommandHome()
    let outcome = try await home.run(Self.adding("--context work", to: line), input: CommandHome.alice)
    guard case .exited(let status) = outcome.ending else {
      Issue.record("\(outcome.ending): \(outcome.text)")
      return
    }
    #expect(try Self.statuses(of: line).contains(status), "\(status)")
    if line.contains(/^(help|man|completions)\b/) { return }
    for command in outcome.text.matches(of: /auth-cli [a-z-]+.*?(?=\. |; |, |auth-cli |\n|$)/)
    where !command.output.contains("--context work") {
      Issue.record("\(command.output), which has no context: \(outcome.text)")
    }
  }

  /// Help, the man page and completions are what was asked for.
  ///
  /// Codes void older ones, and nobody can see them again. Docker reads refusals from this stream.
  @Test(
    "nothing on standard output with --quiet",
    arguments: lines.filter {
      !$0.contains(/^(help|man|completions|recovery-codes|prove|credential docker)\b/)
        && !$0.contains(/^(accounts reset-password|two-step on)\b/)
    })
  func quiet(_ line: String) async throws {
    #expect(try await output(of: Self.adding("--quiet", to: line)).text == "")
  }

  @Test(
    "a screen begins with title and account, as wide as the terminal, and an empty line",
    arguments: AuthTool.tool.groups.filter { ["Screens", "Administration"].contains($0.key) }.flatMap { $0.value }
      .map(\.name))
  func bar(_ name: String) async throws {
    // Codes are all that is on standard output, and a question waits for its answer.
    for line in Self.lines
    where line.hasPrefix(name) && !line.hasSuffix("--password-stdin") && name != "app"
      && !["accounts reset-password bob", "profile delete"].contains(line)
    {
      let (end, shown) = try await Self.loggedIn.value.copy().play(line)
      guard end == .exited(0) else { continue }
      let lines = shown.split(separator: "\r\n", omittingEmptySubsequences: false)
      #expect(lines[0].contains(/^\x{1B}\[1m[A-Z][a-z]+\x{1B}\[0m +alice$/), "\(line): \(lines[0])")
      #expect(lines[0].count == 80 + "\u{1B}[1m\u{1B}[0m".count, "\(line)")
      #expect(lines[1].isEmpty, "\(line)")
    }
  }

  private static func statuses(of line: String) throws -> [Int32] {
    let words = line.split(separator: " ").map { Word($0) }
    return AuthTool.tool.statuses(of: try #require(AuthTool.tool.find(words).location).command)
  }
}
