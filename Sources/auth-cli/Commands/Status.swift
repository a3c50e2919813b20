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
        "session": .members([
          "id": .string(session.id.rawValue),
          "idle_until": .string(orNull: deadlines.moment(limits.idle)?.iso8601),
          "absolute_until": .string(orNull: deadlines.moment(limits.absolute)?.iso8601),
          "fresh_until": .string(orNull: deadlines.moment(limits.fresh)?.iso8601),
        ]),
        "context": .string(context.description), "context_from": .string(orNull: globals.contextVariable),
        "home_from": .string(orNull: places.chosenBy),
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
        "context_from": .string(orNull: globals.contextVariable), "home_from": .string(orNull: places.chosenBy),
      ], notes: ["Log in with: auth-cli login USER"])
  }

  /// Which context and which directories, and what chose them.
  private var placesLine: String {
    let chosenContext = globals.contextVariable.map { " (from \($0))" } ?? ""
    let chosenPlaces = places.chosenBy.map { ", kept in \(TextEscaping.escape(places.state)) (from \($0))" } ?? ""
    return "Context \(context)\(chosenContext)\(chosenPlaces)."
  }
}
