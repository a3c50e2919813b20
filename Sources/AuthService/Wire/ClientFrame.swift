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
  static var hello: [UInt8] {
    let writer = WireWriter(for: .plain)
    ClientFrame.hello(major: Frames.major).write(to: writer)
    return writer.frame
  }

  /// The frame with its length.
  ///
  /// - Throws: ``WireFault`` when it is too long.
  package func encoded() throws(WireFault) -> [UInt8] {
    let writer = WireWriter(for: .plain)
    write(to: writer)
    return try writer.checkedFrame()
  }

  func write(to writer: WireWriter) {
    switch self {
    case .hello(let major): writer.put(Tag.hello, major)
    case .request(let id, let request): writer.put(Tag.request, id, request)
    case .subscribe(let id, let token): writer.put(Tag.subscribe, id, token)
    case .named(let name): writer.put(Tag.named, name)
    }
  }

  /// Reads a frame without its length.
  package init(payload: [UInt8]) throws(WireFault) {
    var reader = WireReader(payload, for: .plain)
    switch try reader.take(Tag.self) {
    case .hello:
      self = .hello(major: try reader.take())
      // Another version may say more.
      if case .hello(let major) = self, major != Frames.major { return }
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

extension WireWriter {
  func checkedFrame() throws(WireFault) -> [UInt8] {
    let frame = frame
    if frame.isEmpty { throw .frameLength(bytes.count - 4) }
    return frame
  }
}
