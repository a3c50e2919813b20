import AuthAccounts
import AuthCore
import Services
import Testing

@testable import AuthServer
@testable import AuthService

/// People who share a user of the machine, each with a name in the forced command of a key.
@Suite("Names within a user of the machine", .timeLimit(.minutes(10)))
struct NameGuessTests {
  private let guesses: NameGuesses

  init() {
    var limits = ServiceLimits(databaseThreads: 1, hashThreads: 1)
    (limits.namesOfUser, limits.failuresOfUser) = (8, 8)
    guesses = NameGuesses(limits)
  }

  private func fail(_ name: String?) -> String? {
    let request = Operations.logIn(.password(username: "alice", password: wrongPassword), .standard, .random)
    return code {
      try guesses.limited(request, of: Caller(user: 1000, name: name)) { () throws(BackendError) in
        throw .credentialsNotAccepted
      }
    }
  }

  private func ask(_ name: String?) -> String? {
    code { try guesses.limited(Operations.checkUsername("x"), of: Caller(user: 1000, name: name)) {} }
  }

  @Test("one name uses up a quarter of the failures of its user, and the others go on until the user's bound")
  func failures() {
    for name in ["carol", "dave", "eve", "frank"] {
      for _ in 0..<2 { #expect(fail(name) == "credentials_not_accepted", "\(name)") }
      #expect(fail(name) == "service_busy")
    }
    for name in ["grace", nil] { #expect(fail(name) == "service_busy") }
  }

  @Test("a name that connects without end uses up a quarter of the new connections of its user")
  func connections() throws {
    let rules = try Workspace.inhabited(isShared: true).work.rules
    let server = try ServedRules(rules) { ($0.connections.ofUser, $0.connectsOfUser) = (16, 0.000_1) }
    func refusal(_ name: String) throws -> String? {
      let client = try ServiceClient(server.path, greets: false)
      let request = try ClientFrame.request(1, Operations.checkForLogins().body(.plain)).encoded()
      try client.send(try ClientFrame.named(name).encoded() + ClientFrame.hello.encoded() + request)
      return try client.refusal()?.code
    }
    for _ in 0..<4 { #expect(try refusal("carol") == nil) }
    for _ in 0..<40 { #expect(try refusal("carol") == "service_busy") }
    for name in ["dave", "eve", "frank"] { for _ in 0..<4 { #expect(try refusal(name) == nil, "\(name)") } }
    #expect(throws: ServiceClient.Failure.self) { try refusal("grace") }
  }

  @Test("the same holds for questions about names")
  func names() {
    for name in ["carol", "dave"] {
      for _ in 0..<2 { #expect(ask(name) == nil) }
      #expect(ask(name) == "service_busy")
    }
    for _ in 0..<4 { #expect(ask(nil) == nil) }
    #expect(ask(nil) == "service_busy" && ask("grace") == "service_busy")
  }
}
