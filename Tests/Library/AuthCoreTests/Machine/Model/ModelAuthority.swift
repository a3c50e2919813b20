import AuthCore

/// An authority that behaves as its protocol requires, reduced to the parts that depend on the
/// order of events.
///
/// Sessions and tokens are numbered; numbers have no meaning, so two authorities that differ only
/// in numbers are equal.
struct ModelAuthority {
  struct Session {
    let user: UInt8
    var end: EndReason?
    /// An unrecoverable failure left it alive: a lost answer, a crash, a revocation that could not
    /// be delivered.
    var isExcused = false
    /// A logout has erased it from the vault.
    var isErased = false

    var isLeftAlive: Bool { end == nil && !isExcused }
  }

  struct Token {
    let session: UInt8
    /// The token that dies as soon as this one is used or confirmed.
    var replaces: UInt8?
    var isSuperseded = false
    /// The vault has held it.
    var wasKept = false
    /// The confirmation could not be delivered; the first use of the token replaces it.
    var isConfirmationMissing = false
  }

  struct Step {
    let user: UInt8
    /// The token of the session that reauthenticates; nil for a login.
    let asking: UInt8?
    var isOpen = true
    /// An unrecoverable failure left it open.
    var isExcused = false

    var isLeftOpen: Bool { isOpen && !isExcused }
  }

  var sessions: [Session] = []
  var steps: [Step] = []
  var tokens: [Token] = []

  func session(of token: UInt8) -> Session { sessions[Int(tokens[Int(token)].session)] }

  func isLive(_ token: UInt8) -> Bool { session(of: token).end == nil && !tokens[Int(token)].isSuperseded }

  mutating func begin(for user: UInt8) -> UInt8 {
    sessions.append(Session(user: user))
    tokens.append(Token(session: UInt8(sessions.count - 1)))
    return UInt8(tokens.count - 1)
  }

  /// Issues a token that replaces another one, which works until the new one is used.
  mutating func exchange(_ token: UInt8) -> UInt8 {
    tokens.append(Token(session: tokens[Int(token)].session, replaces: token))
    return UInt8(tokens.count - 1)
  }

  /// Uses or confirms a token: the token that it replaces and the other successors of that token
  /// die.
  mutating func use(_ token: UInt8) {
    guard let old = tokens[Int(token)].replaces else { return }
    tokens[Int(token)].replaces = nil
    for other in tokens.indices where other != Int(token) && (other == Int(old) || tokens[other].replaces == old) {
      tokens[other].isSuperseded = true
    }
  }

  mutating func end(_ token: UInt8, _ reason: EndReason) {
    let session = Int(tokens[Int(token)].session)
    if sessions[session].end == nil { sessions[session].end = reason }
    for step in steps.indices where steps[step].asking.map({ Int(tokens[Int($0)].session) }) == session {
      steps[step].isOpen = false
    }
  }

  /// Requires a second step.
  mutating func challenge(_ user: UInt8, asking: UInt8? = nil) -> Challenge {
    steps.append(Step(user: user, asking: asking))
    return Challenge(
      token: SessionToken(bytes: [UInt8(steps.count - 1)]), question: .code(digits: 6), triesLeft: 1, deadline: .never)
  }

  mutating func excuse(_ token: UInt8) {
    sessions[Int(tokens[Int(token)].session)].isExcused = true
  }

  // MARK: The shipped types

  static let names = ["alice", "bob"]
  private static let users = names.map {
    User(id: UserID(rawValue: $0), username: $0, displayName: $0, role: .member)
  }
  private static let limits = SessionLimits(idle: .never, absolute: .never, fresh: .never)

  /// A grant; only the answer to a saved token has no access token.
  func grant(_ token: UInt8, isResumed: Bool = false) -> Grant {
    let session = tokens[Int(token)].session
    return Grant(
      id: SessionID(rawValue: "s\(session)"), user: Self.users[Int(sessions[Int(session)].user)],
      token: SessionToken(bytes: [token]), limits: Self.limits,
      accessToken: isResumed ? nil : AccessToken("s\(session)", deadline: .never))
  }

  func record(_ token: UInt8, began: Epoch) -> SessionRecord { SessionRecord(grant(token), began: began) }

  /// What the vault keeps beside a token.
  func lastKnown(_ token: UInt8) -> LastKnownUser {
    let name = Self.names[Int(session(of: token).user)]
    return LastKnownUser(username: name, displayName: name)
  }

  func user(of record: SessionRecord) -> User { Self.users[Int(session(of: record.token).user)] }
}

extension SessionRecord {
  var token: UInt8 { grant.token.number }
}

extension SessionToken {
  /// The number of a token of the model.
  var number: UInt8 { bytes[0] }
}
