import AuthAccounts
import AuthCore
import Foundation
import Services
import Testing

@Suite("The article 'Accounts for your own tool'", .timeLimit(.minutes(10)))
struct OwnToolTests {
  private let article = Result {
    try String(
      contentsOfFile: "Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/AccountsForYourTool.md", encoding: .utf8)
  }

  @Test("it shows the tool that this suite runs, in at most 60 lines")
  func shown() throws {
    let code = try String(contentsOfFile: "Tests/Accounts/AuthServiceTests/Articles/ReleaseTool.swift", encoding: .utf8)
    #expect(try article.get().contains("```swift\n\(code)```"))
    #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }

  @Test("the tool asks for a login once, shares it with auth-cli, and writes nothing without one")
  func tool() async throws {
    struct NoAnswer: Error {}
    let service = try RunningService()
    let (log, sessions) = (service.folder + "/releases", service.folder + "/sessions")
    try Data().write(to: URL(filePath: log))
    var questions: [String] = []
    func run(_ version: String, answers: [String: String]) async throws {
      try await release(version, in: log, at: "unix:\(service.socket)", sessions: sessions) { question in
        questions.append(question)
        guard let answer = answers[question] else { throw NoAnswer() }
        return answer
      }
    }
    await #expect(throws: NoAnswer.self) { try await run("0.9", answers: [:]) }
    try await run("1.0", answers: ["User: ": "alice", "Password: ": RunningService.password])
    try await run("1.1", answers: [:])
    try await bash(
      "auth-cli sessions; auth-cli logout",
      ["AUTH_CLI_HOME": sessions, "AUTH_CLI_AUTHORITY": "unix:\(service.socket)"], printing: "release",
      "Logged out alice.")
    await #expect(throws: NoAnswer.self) { try await run("1.2", answers: [:]) }
    #expect(questions == ["User: ", "User: ", "Password: ", "User: "])
    let lines = try String(contentsOfFile: log, encoding: .utf8)
    #expect(lines == "alice released 1.0\nalice released 1.1\n")
  }

  @Test("the script ends with 4 and writes nothing without a login, and writes a line with one")
  func script() async throws {
    let service = try RunningService()
    let script = try blocks("sh", count: 3)[0]
    let environment = service.environment()
    let arguments = ["1.0", service.folder + "/releases"]
    try await bash(script, environment, arguments: arguments, exits: 4)
    try await bash(
      "echo '\(RunningService.password)' | auth-cli login alice --password-stdin\n\(script)", environment,
      arguments: arguments, printing: "logged in")
    #expect(try String(contentsOfFile: arguments[1], encoding: .utf8) == "alice released 1.0\n")
  }

  @Test("the script for a group ends with 4 without a login, with 1 for others, and writes a line for a member")
  func group() async throws {
    let service = try RunningService()
    let script = try blocks("sh", count: 3)[1]
    let arguments = ["1.0", service.folder + "/releases"]
    try await bash(script, service.environment(), arguments: arguments, exits: 4)
    try await service.logIn("alice", "accounts join release bob")
    try await service.logIn("bob")
    try await bash(
      script, service.environment(of: "alice"), arguments: arguments, exits: 1,
      printing: "alice is not in the group release")
    #expect(!FileManager.default.fileExists(atPath: arguments[1]))
    try await bash(script, service.environment(of: "bob"), arguments: arguments)
    #expect(try String(contentsOfFile: arguments[1], encoding: .utf8) == "bob released 1.0\n")
  }

  @Test("the server of the article logs in by itself, and acts once for a proof of a member")
  func server() async throws {
    let service = try RunningService(["alice", "bob", "deploy"])
    let script = try blocks("sh", count: 3)[2]
    let log = service.folder + "/releases"
    let deploy = service.environment(of: "deploy")
    try await bash("umask 77; mkdir -p \"$HOME\"; echo '\(RunningService.password)' >~/deploy.password", deploy)
    try await service.logIn("alice", "accounts join release bob")
    try await service.logIn("bob")
    func proof(_ user: String) async throws -> String {
      try await bash("auth-cli prove deploy", service.environment(of: user)).trimmingCharacters(in: .newlines)
    }
    func call(_ request: String, exits status: Int32 = 0, printing words: String) async throws {
      try await bash(
        "server() {\n\(script)}\necho '\(request)' | server '\(log)'", deploy, exits: status, printing: words)
    }
    let own = try await proof("bob")
    try await call("\(own) 1.0", printing: "released 1.0 for bob")
    try await call("\(own) 1.1", exits: 1, printing: "the proof is not valid")
    try await call("\(await proof("alice")) 1.2", exits: 1, printing: "alice is not in the group release")
    let last = try await proof("bob")
    try await bash("auth-cli logout --quiet", service.environment(of: "bob"))
    try await call("\(last) 1.3", exits: 1, printing: "the proof is not valid")
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "bob released 1.0\n")
  }

  @Test("the function in Python says who is calling, and refuses everybody else")
  func python() async throws {
    let service = try RunningService(["alice", "bob", "deploy"])
    let file = service.folder + "/tool.py"
    let code = try blocks("python", count: 1)[0]
    try "\(code)import sys\nfor proof in sys.argv[1:]: print(caller(proof, 'release'))\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    try await service.logIn("alice", "accounts join release bob")
    for user in ["bob", "deploy"] { try await service.logIn(user) }
    // Nobody is logged in as the tool: that is no answer, and not None.
    try await bash(
      "python3 '\(file)' nonsense", service.environment(), exits: 1, printing: "returned non-zero exit status 4")
    func proof(_ user: String) -> String {
      "$(AUTH_CLI_HOME='\(service.folder)/sessions-\(user)' auth-cli prove deploy)"
    }
    let answers = try await bash(
      "bob=\(proof("bob")) alice=\(proof("alice")); python3 '\(file)' $bob $bob $alice nonsense",
      service.environment(of: "deploy"))
    #expect(answers == "bob\nNone\nNone\nNone\n")
  }

  /// The code blocks of the article in a language.
  private func blocks(_ language: String, count: Int) throws -> [String] {
    let blocks = try article.get().components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    try #require(blocks.count == count)
    return blocks
  }
}

extension RunningService {
  /// The environment of a user of the service, who has a home and sessions of their own.
  fileprivate func environment(of user: String = "nobody") -> [String: String] {
    [
      "HOME": folder + "/home-\(user)", "AUTH_CLI_HOME": folder + "/sessions-\(user)",
      "AUTH_CLI_AUTHORITY": "unix:\(socket)",
    ]
  }

  /// Logs a user in, and runs a command of auth-cli.
  fileprivate func logIn(_ user: String, _ command: String = "status") async throws {
    try await bash(
      "echo '\(Self.password)' | auth-cli login \(user) --password-stdin --quiet\nauth-cli \(command)",
      environment(of: user))
  }
}
