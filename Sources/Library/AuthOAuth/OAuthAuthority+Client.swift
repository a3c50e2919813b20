import AuthCore
import ConcurrencyKit
import TextFormat

// How this client proves who it is.
extension OAuthAuthority {
  /// How a client with a secret authenticates at each service: as the metadata says, or as it
  /// worked.
  package var clientAuthentication: [OAuthServer.Endpoint: OAuthServer.ClientAuthentication] {
    ways.withLock(\.self)
  }

  /// Posts a form as this client; the response has no members if the status is `empty`.
  ///
  /// Servers list more ways than they accept from one client. So after `invalid_client` the other
  /// ways are tried once, which is safe: a server refuses the client before it uses a code or a
  /// token (RFC 6749, section 5.2).
  func post(
    _ form: [String: String?], to endpoint: OAuthServer.Endpoint, empty: Int? = nil,
    recorder: ExchangeRecorder? = nil
  ) async throws(OAuthError) -> OAuthClaims {
    guard let secret = clientSecret.map({ String(decoding: $0.bytes, as: UTF8.self) }) else {
      do throws(OAuthError) {
        return try await post(form, to: endpoint, secret: nil, as: .post, empty: empty, recorder: recorder)
      } catch {
        // canaille knows a client without a secret only by a header when it ends a token.
        guard endpoint == .revocation, error.isRefused("invalid_client"),
          let claims = try? await post(form, to: endpoint, secret: "", as: .basic, empty: empty, recorder: recorder)
        else { throw error }
        return claims
      }
    }
    let known = clientAuthentication
    let way = known[endpoint] ?? known[.token] ?? .basic
    let refusal: OAuthError
    do throws(OAuthError) {
      return try await post(form, to: endpoint, secret: secret, as: way, empty: empty, recorder: recorder)
    } catch {
      // What the SDK of MCP servers answers at the revocation endpoint (python-sdk 2.3).
      let isOfClient = endpoint != .token && error.isRefused("unauthorized_client")
      guard error.isRefused("invalid_client") || isOfClient else { throw error }
      refusal = error
    }
    for other in way.others {
      do throws(OAuthError) {
        let claims = try await post(form, to: endpoint, secret: secret, as: other, empty: empty, recorder: recorder)
        ways.withLock { $0[endpoint] = other }
        return claims
      } catch {
        // A server may call a request without the expected header or field invalid.
        if error.isRefused("invalid_client", "invalid_request", "unauthorized_client") { continue }
        let ofRequest = ["invalid_grant", "authorization_pending", "slow_down", "access_denied", "expired_token"]
        if error.isRefused(ofRequest) { ways.withLock { $0[endpoint] = other } }
        throw error
      }
    }
    throw refusal
  }

  private func post(
    _ form: [String: String?], to endpoint: OAuthServer.Endpoint, secret: String?,
    as way: OAuthServer.ClientAuthentication, empty: Int?, recorder: ExchangeRecorder?
  ) async throws(OAuthError) -> OAuthClaims {
    let changesSession = endpoint == .revocation || form["refresh_token"] != nil
    var (form, header) = (form, String?.none)
    if let secret, way != .post {
      header = OAuthServer.ClientAuthentication.header(clientID, secret)
      // Some servers take an id beside the header for a second way, and refuse the request.
      form["client_id"] = endpoint == .deviceAuthorization || way == .basicWithID ? clientID : nil
      // The SDK of MCP servers wants this field too when a token is ended, and reads the header.
      if endpoint == .revocation, way == .basicWithID { form["client_secret"] = "" }
    } else {
      form.merge(["client_id": clientID, "client_secret": secret]) { $1 }
    }
    return try await server.request(
      try server.address(of: endpoint), form: form,
      resources: endpoint == .token || endpoint == .deviceAuthorization ? resources : [],
      changesSession: changesSession, authorization: header, empty: empty, recorder: recorder)
  }
}
