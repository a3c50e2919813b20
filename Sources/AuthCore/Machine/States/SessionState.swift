/// Where a session stands.
///
/// Each case is a type of its own, which holds what only that state can have.
package enum SessionState: Hashable, Sendable {
  /// Nothing is known yet, or nothing could be found out: neither in nor out.
  case restoring(Restoring)
  /// Nobody is logged in, and the reason why.
  case loggedOut(LoggedOut)
  /// The authority has been asked about credentials.
  case authenticating(Authenticating)
  /// A session stands.
  case loggedIn(LoggedIn)
  /// A session stands, and work on it is under way.
  case renewing(Renewing)
  /// The keys are dead, and what remains of the session is being cleared away.
  case loggingOut(LoggingOut)

  /// The states by name.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// See ``Restoring``.
    case restoring
    /// See ``LoggedOut``.
    case loggedOut
    /// See ``Authenticating``.
    case authenticating
    /// See ``LoggedIn``.
    case loggedIn
    /// See ``Renewing``.
    case renewing
    /// See ``LoggingOut``.
    case loggingOut
  }

  /// The name of the state.
  package var kind: Kind {
    switch self {
    case .restoring: .restoring
    case .loggedOut: .loggedOut
    case .authenticating: .authenticating
    case .loggedIn: .loggedIn
    case .renewing: .renewing
    case .loggingOut: .loggingOut
    }
  }

  /// The session that stands, if one does: the only source of keys.
  package var session: SessionRecord? {
    switch self {
    case .loggedIn(let state): state.session
    case .renewing(let state): state.session
    case .restoring, .loggedOut, .authenticating, .loggingOut: nil
    }
  }

  /// Asks the state for its answer to an event.
  ///
  /// In a function of its own the state is lent; a `switch` where it is stored would copy it.
  func react(to event: SessionEvent, _ context: inout TransitionContext) -> Reaction {
    switch self {
    case .restoring(let state): state.react(to: event, &context)
    case .loggedOut(let state): state.react(to: event, &context)
    case .authenticating(let state): state.react(to: event, &context)
    case .loggedIn(let state): state.react(to: event, &context)
    case .renewing(let state): state.react(to: event, &context)
    case .loggingOut(let state): state.react(to: event, &context)
    }
  }

  /// The commands that this state takes.
  package var permitted: CommandSet {
    switch self {
    case .restoring(let state): state.permitted
    case .loggedOut(let state): state.permitted
    case .authenticating(let state): state.permitted
    case .loggedIn(let state): state.permitted
    case .renewing(let state): state.permitted
    case .loggingOut(let state): state.permitted
    }
  }
}
