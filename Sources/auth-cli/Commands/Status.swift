import AuthCore
import AuthLocal

extension Workspace {
  /// `status`: yes, no, or cannot tell.
  ///
  /// It is not activity.
  func status() async throws(Refusal) -> Answer {
    switch await restore() {
    case .loggedIn(let session): return try standing(session)
    case .loggedOut(let reason): return absent(reason)
    case .obstructed(let obstacle): throw Refusal(obstacle)
    case .overtaken, .cancelled: throw Refusal(SessionFailure.overtaken)
    }
  }

  private func standing(_ session: LoggedInSession) throws(Refusal) -> Answer {
    let deadlines = try Deadlines(clock: clock)
    let limits = session.limits
    let user = session.user
    let role = user.role == .administrator ? ", administrator" : ""
    return Answer(
      lines: [
        "Logged in as \(escaping: user.username) (\(escaping: user.displayName)\(role)).",
        "Without activity the session ends in \(deadlines.remaining(limits.idle)), in any case in \(deadlines.remaining(limits.absolute)).",
        placesLine,
      ],
      [
        "logged_in": true, "user": .user(user),
        "session": .session(session, deadlines),
        "context": .string(context.description), "context_from": .string(orNull: globals.contextVariable),
        "sessions_from": .string(orNull: places.stateVariable), "accounts_from": .string(orNull: places.dataVariable),
      ])
  }

  private func absent(_ reason: LogoutReason) -> Answer {
    let (sentence, code): (String, String?) =
      switch reason {
      case .neverLoggedIn: ("Nobody is logged in", nil)
      case .ended(let reason): ("Nobody is logged in: \(reason.sentence)", reason.code)
      }
    return Answer(
      status: .no, lines: ["\(sentence).", placesLine],
      [
        "logged_in": false, "reason": .string(orNull: code), "context": .string(context.description),
        "context_from": .string(orNull: globals.contextVariable),
        "sessions_from": .string(orNull: places.stateVariable), "accounts_from": .string(orNull: places.dataVariable),
      ], notes: ["Log in with: auth-cli login USER"])
  }

  /// Which context and which directories, and what chose them.
  private var placesLine: String {
    var parts = ["Context \(context)" + (globals.contextVariable.map { " (from \($0))" } ?? "")]
    if let variable = places.stateVariable {
      parts.append("sessions in \(TextEscaping.escape(places.state)) (from \(variable))")
    }
    if let variable = places.dataVariable, places.data != places.state {
      parts.append("accounts in \(TextEscaping.escape(places.data)) (from \(variable))")
    }
    return parts.joined(separator: ", ") + "."
  }
}
