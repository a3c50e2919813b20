package import AuthBackend
package import AuthCore

/// What a client sends.
package enum ClientFrame: Sendable {
  /// The first frame: the version of the client.
  case hello(major: UInt16)
  /// A question; its answer has the same number.
  case request(UInt32, BackendRequest)
  /// Asks for ``ServerFrame/lookAgain`` when something changes for the account of a session.
  ///
  /// It is answered by `done` or a failure, once.
  case subscribe(UInt32, SessionToken)
  /// The name in the forced command of an ssh key, which `connect` sends before all others.
  ///
  /// It says whose limits within those of the user of the machine apply, and is logged. It grants
  /// nothing.
  case named(String)

  enum Tag: UInt8, WireTag {
    case hello = 1
    case request = 2
    case subscribe = 3
    case named = 4
  }
}

extension ClientFrame {
  /// The first frame of this program.
  static let hello = (try? ClientFrame.hello(major: Frames.major).encoded()) ?? []

  /// The frame with its length.
  ///
  /// - Throws: ``WireFault`` when it is too long.
  package func encoded() throws(WireFault) -> [UInt8] { try encoded(for: .plain) }

  /// The same with tokens of the client of a database.
  func encoded(for form: TokenForm) throws(WireFault) -> [UInt8] {
    let writer = WireWriter(for: form)
    switch self {
    case .hello(let major): writer.put(Tag.hello, major)
    case .request(let id, let request): writer.put(Tag.request, id, request)
    case .subscribe(let id, let token): writer.put(Tag.subscribe, id, token)
    case .named(let name): writer.put(Tag.named, name)
    }
    return try writer.frame
  }

  /// Reads a frame without its length.
  package init(payload: [UInt8]) throws(WireFault) {
    var reader = WireReader(payload, for: .plain)
    switch try reader.take(Tag.self) {
    case .hello:
      let major = try reader.take(UInt16.self)
      self = .hello(major: major)
      // Another version may say more.
      if major != Frames.major { return }
    case .request: self = try reader.take(ClientFrame.request)
    case .subscribe: self = try reader.take(ClientFrame.subscribe)
    case .named:
      let name = try reader.take(String.self)
      guard (1...Frames.longestName).contains(name.utf8.count) else { throw .invalid("name of a caller") }
      self = .named(name)
    }
    try reader.end()
  }
}
