import AuthAccounts
import AuthCore
import AuthCoreTesting
import Glibc

extension Sample {
  static let sessions = [
    Sample(Operations.logIn) { ($0.credentials, $0.limits, $0.new) },
    Sample(Operations.reauthenticate) { ($0.token, $0.password, $0.limits, $0.newToken) },
    Sample(Operations.answer) { ($0.answer, $0.token, $0.new) },
    Sample(Operations.resume) { $0.token },
    Sample(Operations.lookUp) { $0.token },
    Sample(Operations.inspect) { $0.token },
    Sample(Operations.renew) { $0.token },
    Sample(Operations.confirm) { $0.token },
    Sample(Operations.revoke) { ($0.token, $0.endReason) },
    Sample(Operations.sessions) { ($0.sessionsPage, $0.token) },
    Sample(Operations.revokeSession) { ($0.session, $0.token) },
    Sample(Operations.endAllSessions) { $0.token },
  ]
}

extension BackendContract {
  static let sessions: [Check] = [
    Check("lookUp knows the present token of a live session and no other") { probe in
      func lookUp(_ token: SessionToken) throws -> Grant? { try probe.backend.lookUp(token) }
      let (alice, bob) = try await probe.aliceAndBob()
      try require(try lookUp(alice.token)?.id == alice.id, "lookUp does not know the token of a login")
      try require(try lookUp(alice.token)?.user == alice.user, "lookUp knows another user")
      try require(try lookUp(SessionToken(bytes: Array(repeating: 7, count: 32))) == nil, "lookUp knows a forged token")
      let result = try await probe.backend.reauthenticate(alice.token, with: .of("alice"), limits: .standard)
      guard let new = result.grant else { throw Breach("the right password was answered with a challenge") }
      try require(try lookUp(new.token) == nil, "lookUp took a token that was not confirmed")
      try require(try lookUp(alice.token) != nil, "lookUp lost a token whose successor was not confirmed")
      try await probe.backend.confirm(new.token)
      try await probe.backend.revoke(bob.token, reason: .userAsked)
      try require(try lookUp(alice.token) == nil, "lookUp knows a superseded token")
      try require(try lookUp(bob.token) == nil, "lookUp knows a revoked token")
      try require(try lookUp(new.token)?.id == alice.id, "lookUp does not know the confirmed token")
      await probe.subject.advance(probe.backend.policy.idle)
      try require(try lookUp(new.token) == nil, "lookUp knows a token past its idle limit")
    },

    Check("inspect finds each token that opens a session, says why another does not, and changes nothing") { probe in
      let (alice, bob) = try await probe.aliceAndBob()
      func refusal(_ token: SessionToken) -> BackendError.Kind? {
        let backend = probe.backend
        return if case .failure(let error) = Result(catching: { () throws(BackendError) in try backend.inspect(token) })
        {
          error.kind
        } else {
          nil
        }
      }
      let result = try await probe.backend.reauthenticate(alice.token, with: .of("alice"), limits: .standard)
      guard let new = result.grant else { throw Breach("the right password was answered with a challenge") }
      for token in [new.token, alice.token] {
        try require(try probe.backend.inspect(token).id == alice.id, "inspect does not find a token that may be used")
      }
      try require(try probe.backend.lookUp(alice.token) != nil, "inspect used the new token, which was not confirmed")
      try await probe.backend.confirm(new.token)
      try await probe.backend.revoke(bob.token, reason: .userAsked)
      try require(refusal(alice.token) == .session(.superseded), "inspect does not say that a token is superseded")
      try require(refusal(bob.token) == .session(.ended(.userAsked)), "inspect does not say why a session ended")
      let events = try Login(backend: probe.backend, grant: new).events().value().count
      for token in [alice.token, bob.token, SessionToken(bytes: Array(repeating: 7, count: 32))] { _ = refusal(token) }
      try require(
        try Login(backend: probe.backend, grant: new).events().value().count == events, "inspect recorded an event")
    },

    Check("limits are those of the policy, on the backend's clock") { probe, alice, _ in
      let (limits, policy, now) = (alice.grant.limits, probe.backend.policy, try probe.backend.clock.now())
      for (name, limit, span) in [
        ("idle", limits.idle, policy.idle), ("absolute", limits.absolute, policy.absolute),
        ("fresh", limits.fresh, policy.fresh),
      ] {
        guard case .at(let end) = limit, end.boot == now.boot, end.uptime > now.uptime + span - .seconds(10),
          end.uptime <= now.uptime + span
        else { throw Breach("the \(name) limit of a new session is \(limit) at \(now)") }
      }
    },

    Check("sessions are the user's own live ones, newest first") { probe, first, bob in
      // The clock may stand still until the test moves it.
      await probe.subject.advance(.milliseconds(1))
      let second = try await probe.logIn("alice")
      await probe.subject.advance(.milliseconds(1))
      let third = try await probe.logIn("alice")
      let list = try second.sessions().value()
      try require(list.map(\.id), is: [third, second, first].map(\.id), "three sessions, newest first, are listed as")
      try require(list.map(\.isCurrent) == [false, true, false], "the list marks another session as the current one")
      try third.revoke(third.id).value("revoking one's own session")
      try require(try second.sessions().value().map(\.id) == [second.id, first.id], "an ended session is listed")
      try require(try bob.sessions().value().map(\.id) == [bob.id], "the list has others' sessions")
    },

    Check("a session can be revoked by its name, by its user only") { probe, alice, bob in
      let other = try await probe.logIn("alice")
      for id in [bob.id, SessionID(rawValue: "nothing")] {
        try alice.revoke(id).refused("revoking \(id.rawValue)", with: "session_not_found")
      }
      try alice.revoke(other.id).value()
      try await probe.requireRejection(.ended(.revoked), of: other.token, "a revoked session")
      try alice.revoke(other.id).refused("revoking it again", with: "session_not_found")
      try bob.profile().value("a session that others tried to revoke")
    },

    Check("ending all sessions counts them, ends this one too, and leaves others'") { probe, alice, bob in
      let other = try await probe.logIn("alice")
      try require(alice.endAll().value(), is: 2, "of two sessions there ended")
      for login in [alice, other] {
        try await probe.requireRejection(.ended(.userAsked), of: login.token, "an ended session")
      }
      try bob.profile().value("a session of another user")
    },

    Check("a change can be waited for") { probe in
      // The session that was begun last is the one whose changes are told.
      let (_, bob) = try await probe.aliceAndBob()
      let source = try probe.backend.changes()
      try require(try source.listen(), "the source has nothing to listen to")
      try require(try source.listen(), "the second listen stopped the first")
      try bob.rename("Another name").value()
      // A source may also ask for a look from time to time.
      if source.longestWait != nil { return }
      var polled = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        try require(poll(&polled, 1, 10_000) == 1, "no change was heard within 10 s")
        if try source.drain() { return }
      }
    },
  ]
}
