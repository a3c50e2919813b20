import AuthCore

extension AuthorityContract {
  static let limits: [Check] = [
    // Missing time data counts as passed, so a session without it cannot be used.
    Check(name: "every grant has all limits") { subject in
      let grant = try await subject.logIn()
      for (name, deadline) in [
        ("idle", grant.limits.idle), ("absolute", grant.limits.absolute), ("fresh", grant.limits.fresh),
      ] {
        try require(deadline != .unknown, "the \(name) limit of a grant is missing")
      }
    },

    Check(name: "a request shortens limits and never lengthens them") { subject in
      let standard = try await subject.logIn().limits
      let longer = try await subject.logIn(limits: LimitRequest(idle: .seconds(1 << 40), absolute: .seconds(1 << 40)))
      let shorter = try await subject.logIn(limits: LimitRequest(idle: .seconds(60), absolute: .seconds(120)))
      // The authority's clock may advance between two logins, but by less than a minute. Each limit
      // requested here is longer than a minute.
      try longer.limits.requireNoLonger(than: standard, by: .seconds(60), "a request lengthened")
      // Shorter by anything at all.
      try shorter.limits.requireNoLonger(than: standard, by: .microseconds(-1), "a request did not shorten")
    },

    Check(name: "a request to reauthenticate shortens limits and never lengthens them") { subject in
      let grant = try await subject.logIn()
      let again = try await subject.reauthenticate(
        grant.token, limits: LimitRequest(idle: .seconds(1 << 40), absolute: .seconds(1 << 40)))
      try again.limits.requireNoLonger(than: grant.limits, by: .seconds(60), "a request lengthened")
      let shorter = try await subject.reauthenticate(
        again.token, limits: LimitRequest(idle: .seconds(60), absolute: .seconds(120)))
      try shorter.limits.requireNoLonger(than: again.limits, by: .microseconds(-1), "a request did not shorten")
    },

    Check(name: "a session that was requested to be short stays short") { subject in
      let grant = try await subject.logIn(limits: LimitRequest(idle: .seconds(60), absolute: .seconds(120)))
      let again = try await subject.reauthenticate(grant.token)
      try await subject.confirm(again.token)
      if let advance = subject.advance { await advance(.seconds(50)) }
      let renewed = try await subject.renew(again.token)
      // As above: a check takes less than a minute, and the default limits are far longer than a
      // minute and the requested limits.
      for (name, limits) in [("reauthenticate", again.limits), ("renew", renewed.limits)] {
        try limits.requireNoLonger(than: grant.limits, by: .seconds(110), "\(name) lengthened, in a short session,")
      }
    },

    Check(name: "resume is not activity") { subject in
      let grant = try await subject.logIn()
      if let advance = subject.advance { await advance(.seconds(1)) }
      try await require(subject.resume(grant.token).limits, is: grant.limits, "resume moved the limits to")
    },

    Check(name: "renew moves the idle limit and no other") { subject in
      guard let advance = subject.advance else { return }
      let grant = try await subject.logIn()
      // An authority may record activity only once a minute.
      await advance(.seconds(120))
      let renewed = try await subject.renew(grant.token)
      try require(renewed.limits.absolute, is: grant.limits.absolute, "renew moved the absolute limit to")
      try require(renewed.limits.fresh, is: grant.limits.fresh, "renew made the password recent:")
      guard case .at(let before) = grant.limits.idle, case .at(let after) = renewed.limits.idle else { return }
      try require(after.uptime > before.uptime, "renew left the idle limit at \(after.uptime)")
    },

    Check(name: "a session without activity ends at its idle limit, even if it was resumed") { subject in
      guard let advance = subject.advance else { return }
      let grant = try await subject.logIn(limits: LimitRequest(idle: .seconds(60), absolute: .seconds(600)))
      await advance(.seconds(50))
      _ = try await subject.resume(grant.token)
      await advance(.seconds(11))
      let rejection = try await subject.rejection(of: grant.token, "a token past its idle limit")
      try require(rejection, is: .ended(.expired(.idle)), "past the idle limit the rejection was")
    },

    Check(name: "no activity delays the absolute limit") { subject in
      guard let advance = subject.advance else { return }
      let grant = try await subject.logIn(limits: LimitRequest(idle: .seconds(60), absolute: .seconds(100)))
      await advance(.seconds(50))
      let renewed = try await subject.renew(grant.token)
      await advance(.seconds(51))
      let rejection = try await subject.rejection(of: renewed.token, "a token past its absolute limit")
      try require(rejection, is: .ended(.expired(.absolute)), "past the absolute limit the rejection was")
    },
  ]
}

extension SessionLimits {
  /// Requires that the session ends no later than with other limits, but for some time.
  fileprivate func requireNoLonger(than usual: SessionLimits, by slack: Duration, _ what: String) throws(Breach) {
    for (name, limit) in [("idle", \SessionLimits.idle), ("absolute", \.absolute)] {
      guard case .at(let end) = usual[keyPath: limit] else { continue }
      guard case .at(let own) = self[keyPath: limit], own.uptime <= end.uptime + slack else {
        throw Breach("\(what) the \(name) limit")
      }
    }
  }
}
