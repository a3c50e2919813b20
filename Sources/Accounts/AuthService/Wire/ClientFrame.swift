package import AuthAccounts
package import AuthCore

/// A message from a client to the service.
package enum ClientFrame: Sendable {
  /// The first frame: the client has this version of the protocol.
  case hello
  /// An operation to perform; its answer has the same number.
  case request(UInt32, WireBody)
  /// Asks for ``ServerFrame/lookAgain`` when something changes for the account of a session.
  ///
  /// The service answers it once, with `done` or a failure.
  case subscribe(UInt32, SessionToken)
  /// The name in the forced command of an ssh key, which `connect` sends before all others.
  ///
  /// It selects the limits within those of the user of the machine, and is logged. It grants no
  /// rights.
  case named(String)
}

extension ClientFrame: WireUnion {
  package static let forms: [WireForm<ClientFrame>] = [
    WireForm({ (_: ProtocolVersion) in .hello }) { if case .hello = $0 { ProtocolVersion() } else { nil } },
    WireForm(Self.request) { if case .request(let id, let request) = $0 { (id, request) } else { nil } },
    WireForm(Self.subscribe) { if case .subscribe(let id, let token) = $0 { (id, token) } else { nil } },
    WireForm(
      called: "name of a caller", { (1...Frames.longestName).contains($0.utf8.count) ? .named($0) : nil }
    ) { if case .named(let name) = $0 { name } else { nil } },
  ]

  /// Writes the frame with its length.
  ///
  /// - Parameter form: How the tokens look on this side.
  /// - Returns: Its bytes.
  /// - Throws: ``WireFault`` when it is too long, or has a token of another database.
  package func encoded(for form: TokenForm = .plain) throws(WireFault) -> [UInt8] {
    try WireWriter(for: form).put(self).frame
  }

  /// Reads a frame without its length.
  package init(payload: [UInt8]) throws(WireFault) { self = try WireReader.whole(payload, for: .plain) }
}

/// The version of the protocol, which both sides send first.
struct ProtocolVersion: WireValue {
  func write(to wire: WireWriter) { wire.put(Frames.major) }

  /// Another version may send more after the number, which is not read.
  static func read(from wire: inout WireReader) throws(WireFault) -> ProtocolVersion {
    let major = try wire.take(UInt16.self)
    guard major == Frames.major else { throw .otherVersion(major) }
    return ProtocolVersion()
  }
}
