/// An event to ask a machine about, with the details that distinguish it from others of its kind.
struct EventSample {
  let event: SessionEvent
  let shape: String

  /// Each sample of each event, whether or not it fits the state of the machine.
  static func all(for machine: SessionMachine) -> [EventSample] {
    SessionEvent.Kind.allCases.flatMap { SampleSource(machine: machine).samples(of: $0) }
  }
}

/// Makes the samples for one machine.
private struct SampleSource {
  let machine: SessionMachine

  private typealias Variant = (shape: String, event: SessionEvent)

  func samples(of kind: SessionEvent.Kind) -> [EventSample] {
    variants(of: kind).map { EventSample(event: $0.event, shape: $0.shape) }
  }

  private func variants(of kind: SessionEvent.Kind) -> [Variant] {
    switch kind {
    case .restore: [("restore", .restore)]
    case .logIn: [("logIn", .logIn)]
    case .switchUser: [("switchUser", .switchUser)]
    case .reauthenticate: [("reauthenticate", .reauthenticate)]
    case .renew: [("renew", .renew(BootInstant(boot: BootID(high: 0, low: 0), uptime: .zero)))]
    case .check: [("check", .check)]
    case .answer: challenges("answer") { .answer($0) }
    case .cancel: challenges("cancel") { .cancel($0) }
    case .logOut: [("logOut", .logOut)]
    case .restored: completions { epoch in restored(epoch).map { ("restored: \($0)", .restored(epoch, $1)) } }
    case .authenticated:
      completions { epoch in
        [
          ("authenticated: granted", .authenticated(epoch, .granted(otherSession(epoch)))),
          ("authenticated: challenged", .authenticated(epoch, .challenged(challenge))),
          ("authenticated: failed", .authenticated(epoch, .failed)),
        ]
      }
    case .renewed:
      completions { epoch in renewed.map { ("renewed: \($0)", .renewed(epoch, $1)) } } + [
        (
          "renewed: granted, of another epoch and another session",
          .renewed(Epoch(0), .granted(otherSession(Epoch(0))))
        )
      ]
    case .saved: completions { epoch in saved.map { ("saved: \($0)", .saved(epoch, savedRecord, $1)) } }
    case .drained: completions { [("drained", .drained($0))] }
    case .revoked: completions { [("revoked", .revoked($0, true)), ("revoked: failed", .revoked($0, false))] }
    case .erased: completions { epoch in leftovers.map { ("erased: \($0)", .erased(epoch, $0)) } }
    case .timedOut:
      completions { epoch in
        [
          ("timedOut: no lease", .timedOut(epoch, leases: 0)),
          ("timedOut: a lease running", .timedOut(epoch, leases: 1)),
        ]
      }
    case .limitReached:
      SessionEvent.LimitReached.allCases.flatMap { limit in
        let present = machine.state.session.map { ("limitReached: \(limit.rawValue)", $0) }
        let earlier = ("limitReached: \(limit.rawValue), of another record", sameSession)
        return [present, earlier].compactMap(\.self).map { ($0.0, SessionEvent.limitReached($0.1, limit)) }
      }
    case .ended: notices { ("ended: revoked", .ended($0, .revoked)) }
    }
  }

  /// The same completions for the epoch that the state waits for, and for an epoch that the machine
  /// never gave out.
  private func completions(_ variants: (Epoch) -> [Variant]) -> [Variant] {
    let stale = variants(Epoch(0)).map { (shape: "\($0.shape), of another epoch", event: $0.event) }
    return (machine.state.awaitedEpoch.map(variants) ?? []) + stale
  }

  /// The same command for the present challenge and for another one.
  private func challenges(_ name: String, _ event: (SessionToken) -> SessionEvent) -> [Variant] {
    let present = machine.state.presentChallenge.map { [(shape: name, event: event($0.token))] } ?? []
    return present + [(shape: "\(name), of another challenge", event: event(Self.token("another challenge")))]
  }

  /// The same notice for the active session and for another one.
  private func notices(_ variant: (Epoch) -> Variant) -> [Variant] {
    let stale = variant(Epoch(0))
    return (machine.state.session.map { [variant($0.began)] } ?? [])
      + [("\(stale.shape), of another session", stale.event)]
  }

  // MARK: Outcomes

  private func restored(_ epoch: Epoch) -> [(String, SessionEvent.Restored)] {
    let obstacle = RestoreFailure.vault(VaultError("the vault could not be read"))
    return [
      ("found the same session", .found(sameSession)),
      ("found another session", .found(otherSession(epoch))),
      ("absent", .absent),
      ("ended", .ended(.revoked, session.grant.token)),
      ("ended, with another token", .ended(.revoked, Self.token("other"))),
      ("obstructed", .obstructed(obstacle)),
    ]
  }

  private var renewed: [(String, SessionEvent.Renewed)] {
    [
      ("granted, the same token", .granted(session)),
      ("granted, a new token", .granted(sameSession)),
      ("challenged", .challenged(challenge)),
      ("ended", .ended(.revoked)),
      ("superseded", .superseded),
      ("failed", .failed),
    ]
  }

  private let saved: [(String, SessionEvent.Saved)] = [
    ("done", .done), ("failed", .failed), ("superseded", .superseded),
  ]

  private let leftovers: [IncompleteCleanup] = [
    .none, IncompleteCleanup(notRevoked: true), IncompleteCleanup(notErased: true),
    IncompleteCleanup(notRevoked: true, notErased: true),
  ]

  // MARK: Records

  private let challenge = Challenge(
    token: Self.token("challenge"), question: .code(digits: 6), triesLeft: 3, deadline: .off)

  /// The active session, or a first one.
  private var session: SessionRecord {
    machine.state.session ?? Self.record("first", token: "first", began: machine.lastEpoch)
  }

  /// The same session with a token that is new to the machine.
  private var sameSession: SessionRecord {
    Self.record(session.grant.id.rawValue, token: "after \(machine.lastEpoch)", began: session.began)
  }

  private func otherSession(_ epoch: Epoch) -> SessionRecord {
    Self.record(session.grant.id.rawValue == "first" ? "second" : "first", token: "other", began: epoch)
  }

  /// The record whose write is under way, or any.
  private var savedRecord: SessionRecord { machine.state.recordBeingSaved ?? sameSession }

  private static func token(_ name: String) -> SessionToken {
    SessionToken(bytes: Array(name.utf8))
  }

  private static func record(_ name: String, token: String, began: Epoch) -> SessionRecord {
    let user = User(id: UserID(rawValue: name), username: name, displayName: name, role: .member)
    let limits = SessionLimits(idle: .off, absolute: .off, fresh: .off)
    return SessionRecord(
      Grant(id: SessionID(rawValue: name), user: user, token: Self.token(token), limits: limits), began: began)
  }
}

extension SessionState {
  /// The challenge that the state holds.
  var presentChallenge: Challenge? {
    switch self {
    case .challenged(let state): state.challenge
    case .restoring, .loggedOut, .authenticating, .loggedIn, .renewing, .loggingOut: nil
    }
  }

  /// The record whose token is being saved.
  var recordBeingSaved: SessionRecord? {
    switch self {
    case .authenticating(let state): state.saving
    case .renewing(let state):
      switch state.step {
      case .saving(let record): record
      case .asking, .rereading: nil
      }
    case .restoring, .loggedOut, .challenged, .loggedIn, .loggingOut: nil
    }
  }
}
