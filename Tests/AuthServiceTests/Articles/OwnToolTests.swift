import AuthBackend
import AuthCore
import Foundation
import Services
import Testing

@Suite("The article 'Accounts for your own tool'", .timeLimit(.minutes(10)))
struct OwnToolTests {
  private let article = Result {
    try String(contentsOfFile: "Sources/AuthProgram/AuthProgram.docc/AccountsForYourTool.md", encoding: .utf8)
  }

  @Test("it shows the tool that this suite runs, in at most 60 lines")
  func shown() throws {
    let code = try String(contentsOfFile: "Tests/AuthServiceTests/Articles/ReleaseTool.swift", encoding: .utf8)
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
    let blocks = try article.get().components(separatedBy: "```sh\n").dropFirst()
    let script = try #require(blocks.first).components(separatedBy: "```")[0]
    try #require(blocks.count == 1)
    let environment = ["AUTH_CLI_HOME": service.folder + "/home", "AUTH_CLI_AUTHORITY": "unix:\(service.socket)"]
    let arguments = ["1.0", service.folder + "/releases"]
    try await bash(script, environment, arguments: arguments, exits: 4)
    try await bash(
      "echo '\(RunningService.password)' | auth-cli login alice --password-stdin\n\(script)", environment,
      arguments: arguments, printing: "logged in")
    #expect(try String(contentsOfFile: arguments[1], encoding: .utf8) == "alice released 1.0\n")
  }
}
