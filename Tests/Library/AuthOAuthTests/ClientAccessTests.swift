import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// The access of a client that acts for itself.
@Suite(.timeLimit(.minutes(10))) struct ClientAccessTests {
  private let world = OAuthWorld()
  private let granted = #"{"access_token": "a", "token_type": "Bearer", "expires_in": 300, "refresh_token": "r"}"#

  @Test("a client with a secret requests a token with its scopes and resources; parameters replace no standard one")
  func secret() async throws {
    let authority = world.authority(clientSecret: ServerDouble.secret, resources: ["https://api.example/"])
    let access = OAuthClientAccess(authority, parameters: ["audience": "api", "grant_type": "password"])
    world.server.script("/token", 200, granted)
    let grant = try await access.grant()
    let form = try #require(world.server.forms("/token").last)
    #expect(form["grant_type"] == "client_credentials" && form["audience"] == "api")
    let request = try #require(world.server.requests.last)
    #expect(request.headers["Authorization"]?.hasPrefix("Basic ") == true)
    #expect(String(decoding: request.body, as: UTF8.self).contains("resource=https%3A%2F%2Fapi.example%2F"))
    #expect(grant.access != nil && grant.scopes == nil)
    let saved = try #require(ClientGrant(grant.name, grant.details))
    #expect(saved.access == grant.access && saved.requested == grant.requested && saved.name == grant.name)
    // The refresh token of the answer is used by nobody (RFC 6749, section 4.4.3).
    #expect(!String(decoding: grant.name.bytes, as: UTF8.self).contains("refresh"))
  }

  @Test("an assertion takes the place of a secret, also when the token is ended, and no message repeats it")
  func assertion() async throws {
    let access = OAuthClientAccess(world.authority(), assertion: Secret("e30.signed.1"))
    world.server.script("/token", 200, granted)
    let token = try #require(try await access.grant().access)
    try await access.end(token)
    for path in ["/token", "/revoke"] {
      let form = try #require(world.server.forms(path).last)
      #expect(form["client_assertion"] == "e30.signed.1" && form["client_id"] == "app" && form["client_secret"] == nil)
      #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    }
    world.server.script("/token", 401, #"{"error": "invalid_client", "error_description": "no e30.signed.1 here"}"#)
    let failure = await #expect(throws: OAuthError.self) { try await access.grant() }
    #expect(failure?.description == "The server refused the request: invalid_client.")
  }

  @Test("a client that is not accepted is refused; another failure says nothing about it")
  func refused() async throws {
    let access = OAuthClientAccess(world.authority(), assertion: Secret("x"))
    for (status, code, isRefused) in [
      (401, "invalid_client", true), (400, "unauthorized_client", true), (400, "invalid_grant", true),
      (400, "invalid_scope", false), (503, "temporarily_unavailable", false),
    ] {
      world.server.script("/token", status, #"{"error": "\#(code)"}"#)
      let failure = await #expect(throws: OAuthError.self) { try await access.grant() }
      guard case .unavailable(let cause)? = failure else { return #expect(Bool(false), "\(code)") }
      #expect((cause.cause == .refused) == isRefused, "\(code)")
    }
  }

  @Test("what is saved for a client is no session, for any authority")
  func noSession() async throws {
    world.server.script("/token", 200, granted)
    let grant = try await OAuthClientAccess(world.authority(), assertion: Secret("x")).grant()
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await world.authority.resume(grant.name) }
    _ = try await world.vault.store(grant.name, grant.details)
    await world.store.restore()
    #expect(world.store.session == nil)
    #expect(ClientGrant(try await world.grant().token) == nil)
  }
}
