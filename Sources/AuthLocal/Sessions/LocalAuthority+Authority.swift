public import AuthCore

extension LocalAuthority: Authority {
  /// Checks credentials and begins a session.
  ///
  /// The attempt is counted before the password is hashed. Unknown name, wrong password and disabled account get one
  /// answer at one cost.
  public func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityFailure<CredentialsRejection>) -> Grant {
    do throws(LocalFailure) {
      return try logIn(credentials, limits: limits)
    } catch {
      throw error.asAuthorityFailure { $0 == .credentials ? .notAccepted : nil }
    }
  }

  /// Says whom a token stands for now, reading only.
  ///
  /// The use of an ended one leaves an event.
  public func resume(_ token: SessionToken) async throws(AuthorityFailure<SessionRejection>) -> Grant {
    try answering { () throws(LocalFailure) in
      try reading(token) { (_, session, _) throws(LocalFailure) in session.grant(token: token) }
    }
  }

  /// Reports activity.
  ///
  /// It writes when the last activity is older than a minute, or a thirtieth of the idle limit, and keeps the token.
  public func renew(_ token: SessionToken) async throws(AuthorityFailure<SessionRejection>) -> Grant {
    try answering { () throws(LocalFailure) in
      let (session, isStale) = try reading(token) { (_, session, now) throws(LocalFailure) in
        (session, session.isStale(at: now))
      }
      if !isStale { return session.grant(token: token) }
      try writing(token) { (_, _, _) throws(LocalFailure) in }
      return try reading(token) { (_, session, _) throws(LocalFailure) in session.grant(token: token) }
    }
  }

  /// Checks the password again and exchanges the token.
  public func reauthenticate(
    _ token: SessionToken, password: Password, limits: LimitRequest
  ) async throws(AuthorityFailure<ReauthenticationRejection>) -> Grant {
    do throws(LocalFailure) {
      return try reauthenticate(token, password: password, requesting: limits)
    } catch {
      throw error.asAuthorityFailure { kind in
        if case .session(let rejection) = kind { return .session(rejection) }
        return kind == .credentials ? .notAccepted : nil
      }
    }
  }

  /// Ends the session of a token, durably when it returns.
  public func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    do throws(LocalFailure) {
      try database.write { (db) throws(LocalFailure) in
        let hash = SQLValue.blob(SHA256.hash(token.bytes))
        let session = try db.first(SessionQuery.byToken, hash) { (row) throws(LocalFailure) in
          try SessionRow(row, in: db)
        }
        guard let session, session.marked == nil else { return }
        try end(session, because: reason, by: session.account, in: db)
      }
    } catch {
      if case .unavailable(let unavailability) = error.kind { throw unavailability }
      throw Unavailability(.unparsable, error.description, hint: error.hint)
    }
  }

  private func answering(
    _ body: () throws(LocalFailure) -> Grant
  ) throws(AuthorityFailure<SessionRejection>) -> Grant {
    do throws(LocalFailure) {
      return try body()
    } catch {
      throw error.asAuthorityFailure { kind in
        if case .session(let rejection) = kind { return rejection }
        return nil
      }
    }
  }
}
