extension SessionCore {
  /// Returns a valid access token of the gate's session, other than one that a server refused, and
  /// renews the session if it has none.
  func accessToken(
    of gate: LeaseGate, insteadOf refused: AccessToken?
  ) async throws(SessionError) -> AccessToken {
    var failure: SessionError?
    // After the first renewal, the store may only have adopted the session token of another
    // process. A failed renewal is not repeated, or all processes that wait for it would ask again.
    for _ in 1...2 {
      if let reason = gate.reason { throw .ended(reason) }
      let known = gate.record.accessToken
      if let known, known != refused, !gate.isEnding(known, at: try instant()) { return known }
      failure = nil
      do throws(SessionError) {
        _ = try await work(.session(.renew), in: gate, because: .access(known: known))
      } catch {
        failure = error
      }
      if let token = gate.record.accessToken, token != refused,
        token.deadline.phase(at: try instant()) == .ahead
      {
        return token
      }
      if let failure, failure != .overtaken { throw failure }
    }
    let none = Unavailability(
      .unparsable,
      refused == nil
        ? "The authority granted no valid access token."
        : "A server refused the access token, and the store got no other one.",
      hint: "Try again in a minute.", code: "no_access_token")
    throw failure ?? .unavailable(none)
  }
}

extension LeaseGate {
  /// Whether an access token ends within a minute, or within the last quarter of its time, if that
  /// is less.
  fileprivate func isEnding(_ token: AccessToken, at now: BootInstant) -> Bool {
    timeToRenew(token, at: now).map { $0 <= .zero } ?? false
  }

  /// The time until then; nil for a token without an end.
  func timeToRenew(_ token: AccessToken, at now: BootInstant) -> Duration? {
    guard token.deadline.phase(at: now) == .ahead else { return .zero }
    guard case .at(let end) = token.deadline else { return nil }
    return end.uptime - min(.seconds(60), lifetime(of: token, at: now) / 4) - now.uptime
  }

  /// How long a token is valid from when the session got it; zero if that is not known.
  func lifetime(of token: AccessToken, at now: BootInstant) -> Duration {
    guard case .at(let end) = token.deadline else { return .zero }
    return max(.zero, end.uptime - since(token, at: now).uptime)
  }
}
