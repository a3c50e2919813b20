import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// The login on another device.
@Suite struct DeviceTests {
  private let world = OAuthWorld()

  private func refused(_ code: String) { world.server.script("/token", 400, "{\"error\": \"\(code)\"}") }

  /// Lets the time pass whenever the device waits, and says how long it waited each time.
  private func waits(_ device: DeviceAuthorization) async -> (Result<Credentials, OAuthError>, [Int]) {
    let clock = world.clock
    let result = Task { () -> Result<Credentials, OAuthError> in
      do throws(OAuthError) { return .success(try await device.credentials()) } catch { return .failure(error) }
    }
    let ticks = Task {
      var waits: [Int] = []
      while !Task.isCancelled {
        await Task.yield()
        guard clock.sleepers > 0 else { continue }
        var wait = 0
        while clock.sleepers > 0 {
          clock.advance(by: .seconds(1))
          wait += 1
        }
        waits.append(wait)
      }
      return waits
    }
    let credentials = await result.value
    ticks.cancel()
    return (credentials, await ticks.value)
  }

  @Test("the device asks at the interval until the user has allowed the login, and has a session then")
  func allowed() async throws {
    let device = try await world.authority.deviceAuthorization()
    #expect(device.userCode == "WDJB-MJHT")
    #expect(device.verificationURI == "https://server.example/enter")
    refused("authorization_pending")
    refused("authorization_pending")
    world.server.set { $0.device = .approved }
    let (result, waits) = await waits(device)
    #expect(waits == [5, 5, 5])
    let session = try await world.store.loggedIn(try result.get())
    #expect(session.user.username == "alice")
    #expect(throws: FreshnessError.passwordNotRecent) { try FreshSession(session) }
  }

  @Test("each slow_down adds five seconds, an answer that did not come doubles the wait")
  func slower() async throws {
    let device = try await world.authority.deviceAuthorization()
    refused("slow_down")
    refused("authorization_pending")
    refused("slow_down")
    world.server.script("/token", 503, "")
    world.server.script("/token", 429, "", ["Retry-After": "40"])
    world.server.set { $0.device = .approved }
    let (result, waits) = await waits(device)
    #expect(waits == [5, 10, 10, 15, 30, 40])
    _ = try result.get()
  }

  @Test("a server that says slow_down without end is left when the code expires")
  func endless() async throws {
    let device = try await world.authority.deviceAuthorization()
    for _ in 1...100 { refused("slow_down") }
    let (result, waits) = await waits(device)
    #expect(result == .failure(.rejected(.expired)))
    #expect(waits.reduce(0, +) <= 600)
    #expect(waits.count < 20)
  }

  @Test(
    "the end of the wait is told",
    arguments: [
      ("access_denied", OAuthRejection.denied), ("expired_token", .expired), ("invalid_client", nil),
    ])
  func ends(code: String, rejection: OAuthRejection?) async throws {
    let device = try await world.authority.deviceAuthorization()
    refused(code)
    let (result, _) = await waits(device)
    switch result {
    case .failure(.rejected(let found)): #expect(found == rejection)
    case .failure(.unavailable(let cause)): #expect(rejection == nil && cause.code == "oauth_\(code)")
    case let other: Issue.record("the wait ended with \(other)")
    }
  }

  @Test("a cancelled wait ends")
  func cancelled() async throws {
    let device = try await world.authority.deviceAuthorization()
    let wait = Task { () -> OAuthError? in
      do throws(OAuthError) {
        _ = try await device.credentials()
        return nil
      } catch {
        return error
      }
    }
    await world.clock.waitForSleepers(1)
    wait.cancel()
    guard case .unavailable(let cause)? = await wait.value else {
      Issue.record("the wait did not end")
      return
    }
    #expect(cause.cause == .cancelled)
  }

  @Test(
    "an answer that must not be shown is refused",
    arguments: [
      #""user_code": "A\u001b[2J", "verification_uri": "https://server.example/enter", "expires_in": 600"#,
      #""user_code": "", "verification_uri": "https://server.example/enter", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "http://server.example/enter", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "https://server.example/\u001b[2J", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "https://a.example", "verification_uri_complete": "file:///etc/passwd", "expires_in": 600"#,
      #""user_code": "A", "verification_uri": "https://a.example""#,
    ])
  func unshowable(members: String) async {
    world.server.script("/device", 200, "{\"device_code\": \"d\", \(members)}")
    await #expect(throws: OAuthError.self) { try await world.authority.deviceAuthorization() }
  }

  @Test("numbers beyond reason neither trap nor wait for ever")
  func numbers() async throws {
    world.server.script(
      "/device", 200,
      #"{"device_code": "d", "user_code": "A", "verification_uri": "https://a.example", "expires_in": 9223372036854775807, "interval": 9223372036854775807}"#
    )
    let device = try await world.authority.deviceAuthorization()
    let (result, waits) = await waits(device)
    #expect(waits.reduce(0, +) <= 3600)
    #expect(result == .failure(.rejected(.expired)))
  }
}
