import AuthCore
import AuthCoreTesting
import AuthOAuth
import Testing

/// How a client with a secret proves who it is.
@Suite(.timeLimit(.minutes(10))) struct ClientAuthenticationTests {
  private let world = OAuthWorld()

  private func authority(_ change: (inout OAuthServer) -> Void = { _ in }) -> OAuthAuthority {
    world.authority(clientSecret: ServerDouble.secret, change)
  }

  @Test("the secret is in a header, encoded as in a form, unless the metadata says otherwise; and never in two places")
  func standard() async throws {
    world.server.set { $0.demands = ["/token": .basic, "/revoke": .post, "/introspect": .basic] }
    let authority = authority { $0.clientAuthentication = [.revocation: .post] }
    let grant = try await world.grant(at: authority)
    try await authority.revoke(grant.token, reason: .userAsked)
    for request in world.server.requests where request.method == "POST" {
      let isInHeader = request.headers["Authorization"]?.hasPrefix("Basic ") == true
      let isInForm = String(decoding: request.body, as: UTF8.self).contains("client_")
      #expect(isInHeader != isInForm, "\(request)")
    }
    #expect(world.server.forms("/token").count == 1 && world.server.forms("/revoke").count == 1)
  }

  @Test(
    "after `invalid_client` the other way is tried once, before the code is used, and remembered",
    arguments: [OAuthServer.ClientAuthentication.basic, .post])
  func otherWay(demanded: OAuthServer.ClientAuthentication) async throws {
    world.server.set { $0.demands = ["/token": demanded, "/revoke": demanded, "/introspect": demanded] }
    let authority = authority { $0.clientAuthentication = [.token: demanded == .basic ? .post : .basic] }
    let grant = try await world.grant(at: authority)
    #expect(world.server.forms("/token").count == 2)
    let renewed = try await authority.renew(grant.token)
    #expect(world.server.forms("/token").count == 3)
    // The way of the token endpoint is the first choice at a service without a list.
    try await authority.revoke(renewed.token, reason: .userAsked)
    #expect(world.server.forms("/revoke").count == 1)
    #expect(world.server.forms("/introspect").count == 1)
  }

  @Test("a server that wants the client id in the form too, beside the header, gets it as the last way, remembered")
  func idBesideHeader() async throws {
    world.server.set { $0.demands = ["/token": ServerDouble.basicWithID, "/revoke": ServerDouble.basicWithID] }
    let authority = authority()
    let grant = try await world.grant(at: authority)
    #expect(world.server.forms("/token").count == 3)
    let token = try await authority.renew(grant.token).token
    #expect(world.server.forms("/token").count == 4)
    #expect(authority.clientAuthentication[.token] == ServerDouble.basicWithID)
    // The secret itself is in the header alone.
    try await authority.revoke(token, reason: .userAsked)
    #expect(world.server.forms("/revoke").map { $0["client_secret"] } == [""])
  }

  @Test("a service may want another way than the token endpoint, which keeps its own")
  func ownWay() async throws {
    world.server.set { $0.demands = ["/token": .basic, "/revoke": .post, "/introspect": .post] }
    let authority = authority()
    var grant = try await world.grant(at: authority)
    grant = try await authority.renew(grant.token)
    try await authority.revoke(grant.token, reason: .userAsked)
    #expect(world.server.forms("/token").count == 2)
    #expect(world.server.forms("/introspect").count == 2)
    #expect(world.server.forms("/revoke").count == 2)
  }

  @Test("a revocation is tried the other way also after `unauthorized_client`, a renewal is not")
  func unauthorizedClient() async throws {
    let authority = authority()
    let grant = try await world.grant(at: authority)
    world.server.script("/revoke", 401, #"{"error": "unauthorized_client"}"#)
    world.server.set { $0.demands = ["/revoke": .post] }
    try await authority.revoke(grant.token, reason: .userAsked)
    #expect(world.server.forms("/revoke").count == 2)
    let other = try await world.grant(at: authority)
    let count = world.server.forms("/token").count
    world.server.script("/token", 400, #"{"error": "unauthorized_client"}"#)
    await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.renew(other.token) }
    #expect(world.server.forms("/token").count == count + 1)
  }

  @Test("a wrong secret is `invalid_client`, whatever the second answer calls it, and ends no session")
  func wrong() async throws {
    for second in ["invalid_client", "invalid_request", "unauthorized_client"] {
      world.server.script("/token", 401, #"{"error": "invalid_client"}"#)
      for _ in 1...2 { world.server.script("/token", 400, #"{"error": "\#(second)"}"#) }
      let failure = await #expect(throws: AuthorityError<CredentialsRejection>.self) {
        try await world.grant(at: authority())
      }
      #expect(failure?.description == "The server refused the request: invalid_client.")
    }
    // A public client has no other way.
    let count = world.server.forms("/token").count
    world.server.script("/token", 401, #"{"error": "invalid_client"}"#)
    await #expect(throws: AuthorityError<CredentialsRejection>.self) { try await world.grant() }
    #expect(world.server.forms("/token").count == count + 1)
  }

  @Test("a client without a secret names itself in a header where a logout is refused otherwise")
  func publicClient() async throws {
    let token = try await world.grant().token
    world.server.script("/revoke", 401, #"{"error": "invalid_client"}"#)
    try await world.authority.revoke(token, reason: .userAsked)
    let requests = world.server.requests.filter { $0.url.hasSuffix("/revoke") }
    // The id, a colon, and nothing.
    #expect(requests.map { $0.headers["Authorization"] } == [nil, "Basic YXBwOg=="])
    #expect(world.server.forms("/revoke").map { $0["client_id"] } == ["app", nil])
    let next = try await world.grant().token
    for _ in 1...2 { world.server.script("/revoke", 401, #"{"error": "invalid_client"}"#) }
    await #expect(throws: Unavailability.self) { try await world.authority.revoke(next, reason: .userAsked) }
  }

  @Test("a refusal of the second way that is about the code stands, and the way is remembered")
  func aboutTheCode() async throws {
    let authority = authority()
    world.server.script("/token", 401, "", ["WWW-Authenticate": #"Basic realm="x""#])
    world.server.script("/token", 400, #"{"error": "invalid_grant"}"#)
    let failure = await #expect(throws: AuthorityError<CredentialsRejection>.self) {
      try await world.grant(at: authority)
    }
    #expect(failure?.description == "The code expired before it was used.")
    let count = world.server.forms("/token").count
    world.server.set { $0.demands = ["/token": .post] }
    _ = try await world.grant(at: authority)
    #expect(world.server.forms("/token").count == count + 1)
  }

  @Test("a 401 to a secret in a header says nothing about a token, and ends no session")
  func unauthorized() async throws {
    let authority = authority()
    let token = try await world.grant(at: authority).token
    for challenge in [#"Bearer error="invalid_token""#, "Basic", "Negotiate"] {
      for _ in 1...3 { world.server.script("/token", 401, "", ["WWW-Authenticate": challenge]) }
      let failure = await #expect(throws: AuthorityError<SessionRejection>.self) { try await authority.renew(token) }
      guard case .unavailable? = failure else { return #expect(Bool(false), "\(challenge)") }
      world.server.set { $0.unscript("/token") }
    }
    _ = try await authority.renew(token)
  }
}
