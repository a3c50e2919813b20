import AuthCore
import AuthCoreTesting
import ConcurrencyKit
import Foundation
import Testing

@Suite("The app in the README", .timeLimit(.minutes(10))) struct ReadmeAppTests {
  @Test("the README shows the function that this suite runs")
  func shown() throws {
    let code = try String(contentsOfFile: "Tests/Library/AuthOAuthTests/Readme/Visit.swift", encoding: .utf8)
    #expect(try String(contentsOfFile: "README.md", encoding: .utf8).contains("```swift\n\(code)```"))
  }

  @Test("it logs in, sends a refused request once more with a new token, and logs out")
  func runs() async throws {
    let world = OAuthWorld()
    let sent = Locked<[String]>([])
    try await visit(world.server.description, world.vault, world.clock) { url in
      try world.server.browse(url)
    } get: { authorization in
      sent.withLock {
        $0.append(authorization)
        return $0.count == 1 ? 401 : 200
      }
    }
    let tokens = sent.withLock { $0 }
    #expect(tokens.count == 2 && Set(tokens).count == 2)
    #expect(tokens.allSatisfy { $0.hasPrefix("Bearer ") })
    #expect(await world.vault.load() == .absent)
    #expect(!world.server.forms("/revoke").isEmpty)
  }
}
