import Glibc
import Programs
import Testing
import TextFormat

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Completions, asked of the shells themselves", .timeLimit(.minutes(10)))
struct CompletionTests {
  private func run(_ shell: String, _ arguments: [String], input: String) async throws -> String {
    let process = Programs.Program(
      shell, arguments, environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"], input: Array(input.utf8),
      timeLimit: .seconds(60))
    let outcome = try await process.run()
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    return outcome.text
  }

  @Test("the scripts are valid in the shells that are installed", arguments: Shell.allCases)
  func syntax(_ shell: Shell) async throws {
    let path = "/usr/bin/" + shell.rawValue
    guard access(path, X_OK) == 0 else { return }
    let script = Completions(AuthTool.tool).script(for: shell)
    #expect(try await run(path, ["-n"], input: script) == "")
  }

  /// In place of the program, what it would print: each list by its own command.
  private static let stub = """
    case "$*" in
      'contexts --short') printf '%s\\n' default work ;;
      'accounts list --short --limit 1000') printf '%s\\n' alice bob ;;
      'sessions --short') echo k1a8rcny9q17 ;;
      'contexts --users') echo erin ;;
      'receipts --short --limit 1000') printf '%s\\n' carol dave ;;
    esac
    """

  /// What each line of a script prints after the completions of the shell.
  private func answers(_ shell: Shell, function: String, _ lines: [String]) async throws -> [String] {
    let script = ([function, Completions(AuthTool.tool).script(for: shell)] + lines).joined(separator: "\n") + "\n"
    let options = shell == .fish ? ["--no-config"] : []
    return try await run("/usr/bin/\(shell.rawValue)", options, input: script)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("bash offers commands, subcommands, options and values, each at its place")
  func bash() async throws {
    let cases: [(line: [String], offers: String)] = [
      (["auth-cli", "prof"], "profile"), (["auth-cli", "sessions", ""], "revoke"), (["auth-cli", "who"], "whoami"),
      (["auth-cli", "machine", "--format", ""], "text mermaid json"),
      (["auth-cli", "machine", "--format", "=", "m"], "mermaid"),
      (["auth-cli", "--context", "pay", "log"], "login logout"), (["auth-cli", "whoami", "--js"], "--json"),
      (["auth-cli", "pay", "5", "--id"], "--idempotency-key"), (["auth-cli", "pay", "--to", ""], "carol dave"),
      (["auth-cli", "completions", ""], "bash zsh fish"), (["auth-cli", "help", "statu"], "statuses status"),
      (["auth-cli", "pay", "--", "--"], ""), (["auth-cli", "--context", "w"], "work"),
      (["auth-cli", "accounts", "show", ""], "alice bob"), (["auth-cli", "sessions", "revoke", "k"], "k1a8rcny9q17"),
      (["auth-cli", "login", "e"], "erin"), (["auth-cli", "pay", "3", "--to", "d"], "dave"),
    ]
    let lines = cases.map { line, _ in
      let words = line.map(ShellQuoting.posix).joined(separator: " ")
      return "COMP_WORDS=(\(words)); COMP_CWORD=\(line.count - 1); _auth_cli; echo \"${COMPREPLY[*]}\""
    }
    let answers = try await answers(.bash, function: "auth-cli() { \(Self.stub); }", lines)
    for (index, (line, offers)) in cases.enumerated() {
      #expect(answers[index] == offers, "\(line)")
    }
  }

  @Test("fish offers the same, with what it means")
  func fish() async throws {
    guard access("/usr/bin/fish", X_OK) == 0 else { return }
    let cases = [
      ("--context x sessions r", "revoke\tEnd one of your sessions"), ("accounts demote ", "alice bob"),
      ("sessions revoke ", "k1a8rcny9q17"),
      ("status --context w", "work\tUse the session with this name; contexts keep several logins at once"),
      ("profile d", "delete\tDelete your account"), ("login ", "erin"),
      ("pay 5 --to d", "dave\tThe user to pay"),
    ]
    let quoted = Self.stub.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    let function = "function auth-cli; sh -c '\(quoted)' auth-cli $argv; end"
    let answers = try await answers(
      .fish, function: function, cases.map { line, _ in "echo (complete -C 'auth-cli \(line)')" })
    for (index, (line, offers)) in cases.enumerated() {
      let offered = answers[index]
      #expect(index == 0 ? offered.hasPrefix(offers) : offered == offers, "\(line): \(offered)")
    }
  }
}
