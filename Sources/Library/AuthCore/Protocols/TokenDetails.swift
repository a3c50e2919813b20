/// What a vault saves with a token.
public struct TokenDetails: Hashable, Sendable {
  /// The session of the token, if it is known.
  public let session: SessionID?
  /// The user, for display.
  public let user: LastKnownUser?
  /// The access token that was granted last, so that the next process lends it without a request.
  public let accessToken: AccessToken?

  /// Creates the details of a token; omit what is not known.
  public init(session: SessionID? = nil, user: LastKnownUser? = nil, accessToken: AccessToken? = nil) {
    self.session = session
    self.user = user
    self.accessToken = accessToken
  }
}

extension TokenDetails {
  /// The details in a form for storage, which ``init(bytes:)`` reads.
  ///
  /// They contain the access token: store them where the token of the session is, and nowhere else.
  public var bytes: [UInt8] {
    var fields: [[UInt8]] = [session?.rawValue, user?.username, user?.displayName, accessToken?.value].map {
      $0.map { [1] + $0.utf8 } ?? []
    }
    switch accessToken?.deadline {
    case .at(let end)?:
      let (seconds, rest) = end.uptime.components
      fields.append(
        [end.boot.high, end.boot.low, UInt64(bitPattern: seconds), UInt64(bitPattern: rest)].flatMap(Self.bytes))
    case .never?: fields.append([1])
    case .unknown?, nil: fields.append([])
    }
    return fields.flatMap { Self.bytes(UInt64($0.count)) + $0 }
  }

  /// Reads details that ``bytes`` returned.
  ///
  /// - Returns: Nil if the bytes are not such details.
  public init?(bytes: [UInt8]) {
    var rest = bytes[...]
    func field() -> ArraySlice<UInt8>? {
      guard rest.count >= 8 else { return nil }
      let count = Self.number(rest.prefix(8))
      rest = rest.dropFirst(8)
      guard count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }
    let fields = (0..<5).compactMap { _ in field() }
    guard fields.count == 5, rest.isEmpty else { return nil }
    let texts = fields.prefix(4).map { $0.isEmpty ? nil : String(decoding: $0.dropFirst(), as: UTF8.self) }
    let deadline: Deadline
    switch fields[4].count {
    case 0: deadline = .unknown
    case 1: deadline = .never
    case 32:
      let words = (0..<4).map { Self.number(fields[4].dropFirst(8 * $0).prefix(8)) }
      let uptime = Duration(
        secondsComponent: Int64(bitPattern: words[2]), attosecondsComponent: Int64(bitPattern: words[3]))
      deadline = .at(BootInstant(boot: BootID(high: words[0], low: words[1]), uptime: uptime))
    case _: return nil
    }
    var user: LastKnownUser?
    if let username = texts[1], let displayName = texts[2] {
      user = LastKnownUser(username: username, displayName: displayName)
    }
    self.init(
      session: texts[0].map(SessionID.init), user: user,
      accessToken: texts[3].map { AccessToken($0, deadline: deadline) })
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension TokenDetails {
  /// The details of the token of a grant.
  package init(_ grant: Grant) {
    self.init(session: grant.id, user: LastKnownUser(grant.user), accessToken: grant.accessToken)
  }
}
