import AuthCore
import AuthCoreTesting
import Programs
import Testing
import TextFormat

@testable import AuthOAuth

/// The login on another device.
@Suite(.timeLimit(.minutes(10))) struct DeviceTests {
  private let world = OAuthWorld()

  /// Waits until the device sleeps, and moves the clock by its wait.
  private func pass(_ wait: Duration) async {
    await world.clock.waitForSleepers(1, dueWithin: wait)
    world.clock.advance(by: wait - .milliseconds(1))
    #expect(world.clock.sleepers == 1)
    world.clock.advance(by: .milliseconds(1))
  }

  private func failure(of device: DeviceAuthorization) async -> OAuthError? {
    do throws(OAuthError) { _ = try await device.credentials() } catch { return error }
    return nil
  }

  @Test("a login that the user allowed begins a session, which is not fresh")
  func allowed() async throws {
    let device = try await world.authority.deviceAuthorization()
    #expect(device.userCode == "WDJB-MJHT")
    #expect(device.verificationURI == "https://server.example/enter")
    world.server.set { $0.isDeviceAllowed = true }
    let credentials = Task { try await device.credentials() }
    await pass(.seconds(5))
    let login = try await credentials.value
    // The code is spent: a further call does not send it.
    #expect(try await device.ask() == login)
    #expect(try await device.credentials() == login)
    #expect(world.server.forms("/token").count { $0["device_code"] != nil } == 1)
    let session = try await world.store.loggedIn(login)
    #expect(session.user.username == "alice")
    // The tokens of the first answer are those of the session: it is not spent before it is saved.
    #expect(world.server.forms("/token").allSatisfy { $0["grant_type"] != "refresh_token" })
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(session) }
  }

  @Test(
    "the device asks at the interval; slow_down adds five seconds, an answer that did not come doubles the wait",
    arguments: [
      (["authorization_pending", "authorization_pending"], [5, 5, 5], nil),
      (["slow_down", "authorization_pending", "slow_down", "503", "429"], [5, 10, 10, 15, 30, 40], nil),
      // The network comes back: the wait is the server's again, and the last request is in time.
      (["503", "503", "authorization_pending", "authorization_pending"], [5, 10, 20, 5, 5], nil),
      // The server cannot say, or a proxy answers with a page.
      (
        ["503 temporarily_unavailable", "server_error", "429 x", "200 html", "502 html"], [5, 10, 20, 40, 80, 160], nil
      ),
      // GitHub refuses with status 200.
      (["200 authorization_pending", "200 slow_down", "200 access_denied"], [5, 5, 10], .rejected(.denied)),
      (Array(repeating: "503", count: 8), [5, 10, 20, 40, 80, 160, 284], .rejected(.expired)),
      (["access_denied"], [5], .rejected(.denied)), (["expired_token"], [5], .rejected(.expired)),
      (["invalid_client"], [5], .refused("invalid_client")),
      // A server without end is left when the code expires.
      (Array(repeating: "slow_down", count: 100), Array(stride(from: 5, through: 70, by: 5)), .rejected(.expired)),
    ] as [([String], [Int], OAuthError?)])
  func polls(answers: [String], waits: [Int], end: OAuthError?) async throws {
    let device = try await world.authority.deviceAuthorization()
    for answer in answers {
      let words = answer.split(separator: " ")
      let isPage = words.last == "html"
      let body = isPage ? "<html>Sign in</html>" : #"{"error": "\#(words[words.count - 1])", "interval": 5}"#
      world.server.script("/token", Int(words[0]) ?? 400, body, ["Retry-After": "40"])
    }
    world.server.set { $0.isDeviceAllowed = true }
    let result = Task { await failure(of: device) }
    for wait in waits { await pass(.seconds(wait)) }
    #expect(await result.value == end)
  }

  @Test(
    "simultaneous callers share one poll: a cancelled one leaves it, and the last one stops it",
    .timeLimit(.minutes(10)))
  func shared() async throws {
    let device = try await world.authority.deviceAuthorization()
    for error in ["authorization_pending", "slow_down"] {
      world.server.script("/token", 400, "{\"error\": \"\(error)\"}")
    }
    let callers = (1...3).map { _ in Task { await failure(of: device) } }
    for _ in 1...2 { await pass(.seconds(5)) }
    await world.clock.waitForSleepers(1)
    #expect(world.server.forms("/token").count == 2)
    callers[0].cancel()
    #expect(await callers[0].value == .unavailable(Unavailability(.cancelled, "The login was cancelled.")))
    await world.clock.waitForSleepers(1)
    for caller in callers { caller.cancel() }
    for caller in callers { _ = await caller.value }
    while world.clock.sleepers > 0 { await Task.yield() }
    // Later callers keep to the interval that the server demanded, and get one answer.
    world.server.set { $0.isDeviceAllowed = true }
    let later = (1...2).map { _ in Task { try await device.credentials() } }
    await pass(.seconds(10))
    #expect(try await later[0].value == later[1].value)
    #expect(world.server.forms("/token").count == 3)
  }

  @Test("numbers beyond reason neither trap nor wait for ever")
  func numbers() async throws {
    world.server.script(
      "/device", 200,
      #"{"device_code": "d", "user_code": "A", "verification_uri": "https://a.example", "expires_in": 9223372036854775807, "interval": 9223372036854775807}"#
    )
    let device = try await world.authority.deviceAuthorization()
    let result = Task { await failure(of: device) }
    for _ in 1...11 { await pass(.seconds(300)) }
    #expect(await result.value == .rejected(.expired))
  }

  @Test("a cancelled login ends, and a transport that fails then is no failure of the network")
  func cancelled() async throws {
    let device = try await world.authority.deviceAuthorization()
    let wait = Task { await failure(of: device) }
    await world.clock.waitForSleepers(1)
    wait.cancel()
    #expect(await wait.value == .unavailable(Unavailability(.cancelled, "The login was cancelled.")))
    world.server.set {
      $0.isOffline = true
      $0.whileUnderWay = { withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: OAuthError.unavailable(Unavailability(.cancelled, "The request was cancelled."))) {
      try await Task { try await world.authority.deviceAuthorization() }.value
    }
  }

  @Test("an optional address that must not be shown is left out, and Google's name of the address is known")
  func optional() async throws {
    world.server.script(
      "/device", 200,
      #"{"device_code": "d", "user_code": "A", "verification_url": "https://a.example", "expires_in": 600, "verification_uri_complete": "file:///etc/passwd"}"#
    )
    let device = try await world.authority.deviceAuthorization()
    #expect(device.verificationURI == "https://a.example" && device.completeVerificationURI == nil)
  }

  @Test("the request for a code has a challenge, and each request for the tokens its verifier")
  func challenge() async throws {
    let device = try await world.authority.deviceAuthorization()
    world.server.script("/token", 400, #"{"error": "authorization_pending"}"#)
    #expect(try await device.ask() == nil)
    world.server.set { $0.isDeviceAllowed = true }
    _ = try await device.ask()
    let asked = try #require(world.server.forms("/device").first)
    #expect(asked["code_challenge_method"] == "S256")
    let verifiers = world.server.forms("/token").compactMap { $0["code_verifier"] }
    #expect(verifiers.count == 2 && verifiers[0] == verifiers[1] && verifiers[0].utf8.count >= 43)
    // RFC 7636, section 4.2; the challenge is compared with another implementation.
    let outcome = try await Program(
      "openssl", ["dgst", "-sha256", "-binary"], input: Array(verifiers[0].utf8), timeLimit: .seconds(60)
    ).run()
    #expect(asked["code_challenge"] == Base64URL.text(outcome.output))
  }

  @Test(
    "an answer that must not be shown is refused",
    arguments: [
      #""user_code": "A\u001b[2J", "verification_uri": "https://server.example/enter", "expires_in": 600"#,
      #""user_code": "", "verification_uri": "https://server.example/enter", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "http://server.example/enter", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "https://server.example/\u001b[2J", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "https://a.example""#,
    ])
  func unshowable(members: String) async {
    world.server.script("/device", 200, "{\"device_code\": \"d\", \(members)}")
    await #expect(throws: OAuthError.self) { try await world.authority.deviceAuthorization() }
  }
}
