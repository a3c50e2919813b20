public import AuthBackend
public import AuthCore
import AuthDevice

extension PostgresBackend: Authority {
  /// Says which user a token belongs to now.
  ///
  /// For a live session this is one call, and nothing is written.
  public func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try answering { () throws(BackendError) in
      if let grant = try lookUp(token) { return grant }
      return try session("resume", token)
    }
  }

  /// The grant of a token, if it is the present one of a live session; one read, and nothing is
  /// written.
  ///
  /// The server gets a hash of the token, which opens nothing, so that a token is never shown to a
  /// database that did not issue it.
  ///
  /// - Returns: Nil for every other token; ``resume(_:)`` says what it is, and leaves the event.
  public func lookUp(_ token: SessionToken) throws(BackendError) -> Grant? {
    let token = ServerToken(token)
    let answer = try server.first(try server.call("quick", [.bytes(SHA256.hash(token.secret))], .none))
    guard let database = answer.database(3) else { throw server.malformed() }
    server.heard(database)
    try require(token)
    try take(answer)
    return answer.text(0) == "ok" ? try grant(answer, secret: token.secret) : nil
  }

  /// Reports activity.
  ///
  /// It writes when the last activity is older than a minute, or a thirtieth of the idle limit, and
  /// keeps the token.
  public func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    try answering { () throws(BackendError) in try session("renew", token) }
  }

  /// Lets an issued token take the place of the one it replaces.
  public func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    _ = try answering { () throws(BackendError) in try session("resume", token) }
  }

  /// Ends the session of a token, durably when it returns.
  ///
  /// The token of a challenge ends that alone.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    if steps.close(token) { return }
    do throws(BackendError) {
      let token = ServerToken(token)
      try require(token)
      guard token.secret.count == ServerSchema.tokenLength else { return }
      let answer = try server.first(
        try server.call("revoke", [.bytes(token.secret), .text(reason.code)], .repeatable))
      try take(answer)
    } catch {
      throw error.asUnavailability
    }
  }

  private func session(_ function: String, _ token: SessionToken) throws(BackendError) -> Grant {
    let answer = try server.first(try call(function, token, [], .repeatable))
    return try grant(answer, secret: ServerToken(token).secret)
  }
}
