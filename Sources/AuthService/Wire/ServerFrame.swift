package import AuthBackend
package import AuthCore

/// What a service sends.
package enum ServerFrame: Sendable {
  /// The first frame, sent as soon as a client is connected.
  case hello(ServiceHello)
  /// The first frame of another version of the protocol, of which no more is understood.
  case otherVersion(major: UInt16)
  /// The answer to a request, and the instant at which it was given on the clock of the database;
  /// nil when that is not known.
  case answer(UInt32, now: BootInstant?, BackendAnswer)
  /// The error of a request.
  case failure(UInt32, now: BootInstant?, BackendError)
  /// Something may have changed for a subscriber.
  case lookAgain

  enum Tag: UInt8, CaseIterable {
    case hello = 1
    case answer = 2
    case failure = 3
    case lookAgain = 4
  }
}

/// What a service says about itself and its database.
package struct ServiceHello: Hashable, Sendable {
  /// Names the database, for as long as it exists: 16 bytes as hexadecimal text.
  ///
  /// A session file keeps it, so that no token is shown to another database.
  package let database: String
  /// The present instant on the clock of the database; nil when that is not known.
  package let now: BootInstant?
  /// The limits of its sessions.
  package let policy: SessionPolicy

  package init(database: String, now: BootInstant?, policy: SessionPolicy) {
    self.database = database
    self.now = now
    self.policy = policy
  }
}

extension ServerFrame {
  /// The frame with its length.
  ///
  /// An answer that is too long becomes a failure that says so.
  package func encoded() -> [UInt8] {
    let writer = WireWriter(for: .plain)
    switch self {
    case .hello(let hello):
      writer.tag(Tag.hello).number(Frames.major).text(hello.database).optional(hello.now, writer.instant)
        .policy(hello.policy)
    case .otherVersion(let major): writer.tag(Tag.hello).number(major)
    case .answer(let id, let now, let answer):
      writer.tag(Tag.answer).number(id).optional(now, writer.instant).answer(answer)
    case .failure(let id, let now, let error):
      writer.tag(Tag.failure).number(id).optional(now, writer.instant).error(error)
    case .lookAgain: writer.tag(Tag.lookAgain)
    }
    let frame = writer.frame
    if frame.isEmpty, case .answer(let id, let now, _) = self {
      return ServerFrame.failure(id, now: now, .answerTooLong).encoded()
    }
    return frame
  }

  /// Reads a frame without its length.
  package init(payload: [UInt8]) throws(WireFault) { try self.init(payload: payload, for: .plain) }

  init(payload: [UInt8], for form: TokenForm) throws(WireFault) {
    var reader = WireReader(payload, for: form)
    switch try reader.tag(Tag.self) {
    case .hello:
      let major = try reader.number(UInt16.self)
      guard major == Frames.major else {
        self = .otherVersion(major: major)
        return
      }
      self = .hello(
        ServiceHello(
          database: try reader.text(), now: try reader.optionalInstant(),
          policy: try reader.policy()))
    case .answer:
      self = .answer(
        try reader.number(), now: try reader.optionalInstant(),
        try reader.answer())
    case .failure:
      self = .failure(
        try reader.number(), now: try reader.optionalInstant(),
        try reader.error())
    case .lookAgain: self = .lookAgain
    }
    try reader.end()
  }
}

extension BackendError {
  fileprivate static let answerTooLong = BackendError.unavailable(
    .unparsable, "answer_too_long", "The answer has more than \(Frames.longest) bytes.",
    hint: "Use programs of one version.")
}
