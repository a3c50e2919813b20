import AuthCore
import AuthCoreTesting
import AuthOAuth
import ConcurrencyKit
import Foundation
import Testing

@Suite("The app in the README", .timeLimit(.minutes(10))) struct ReadmeAppTests {
  @Test("the README shows the code that this suite runs")
  func shown() throws {
    let code = try String(contentsOfFile: "Tests/Library/AuthOAuthTests/Readme/ReadmeApp.swift", encoding: .utf8)
    #expect(try String(contentsOfFile: "README.md", encoding: .utf8).contains("```swift\n\(code)```"))
  }

  @Test("it logs in, sends a refused request once more with a new token, and its screen closes with the logout")
  @MainActor func runs() async throws {
    let world = OAuthWorld()
    let sent = Locked<[String]>([])
    let authority = OAuthAuthority(
      server: world.server.description, clientID: "app", scopes: ["openid", "offline_access"], clock: world.clock)
    let store = SessionStore(authority: authority, vault: world.vault, clock: world.clock)
    try #require(store.open(InboxScreen.self) == nil)
    try await logIn(store, authority) { url in try world.server.browse(url) }
    let screen = try #require(store.open(InboxScreen.self))
    try await screen.load { header in
      sent.withLock {
        $0.append(header)
        return $0.count == 1 ? 401 : 200
      }
    }
    try await store.logOut(try #require(store.session))
    await #expect(throws: AccessError<any Error>.self) { try await screen.load { _ in 200 } }
    let tokens = sent.withLock { $0 }
    #expect(tokens.count == 2 && Set(tokens).count == 2)
    #expect(tokens.allSatisfy { $0.hasPrefix("Bearer ") })
    #expect(await world.vault.load() == .absent)
    #expect(!world.server.forms("/revoke").isEmpty)
  }
}
