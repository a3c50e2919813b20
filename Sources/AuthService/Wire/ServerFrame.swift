import AuthBackend
import AuthCore

/// What a service sends.
enum ServerFrame: Sendable {
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

  enum Tag: UInt8, WireTag {
    case hello = 1
    case answer = 2
    case failure = 3
    case lookAgain = 4
  }
}

/// What a service says about itself and its database.
struct ServiceHello: Hashable, Sendable {
  /// Names the database, for as long as it exists: 16 bytes as hexadecimal text.
  ///
  /// A session file keeps it, so that no token is shown to another database.
  let database: String
  /// The present instant on the clock of the database; nil when that is not known.
  let now: BootInstant?
  /// The limits of its sessions.
  let policy: SessionPolicy
}

extension ServerFrame {
  /// The frame with its length.
  ///
  /// An answer that is too long becomes a failure that says so.
  func encoded() -> [UInt8] {
    let writer = WireWriter(for: .plain)
    switch self {
    case .hello(let hello): writer.put(Tag.hello, Frames.major, hello.database, hello.now, hello.policy)
    case .otherVersion(let major): writer.put(Tag.hello, major)
    case .answer(let id, let now, let answer): writer.put(Tag.answer, id, now, answer)
    case .failure(let id, let now, let error): writer.put(Tag.failure, id, now, error)
    case .lookAgain: writer.put(Tag.lookAgain)
    }
    do throws(WireFault) {
      return try writer.frame
    } catch {
      guard case .answer(let id, let now, _) = self else { return [] }
      return ServerFrame.failure(id, now: now, .unavailable(.answerTooLong, "\(Frames.longest)")).encoded()
    }
  }

  /// Reads a frame without its length.
  init(payload: [UInt8], for form: TokenForm = .plain) throws(WireFault) {
    var reader = WireReader(payload, for: form)
    switch try reader.take(Tag.self) {
    case .hello:
      let major = try reader.take(UInt16.self)
      guard major == Frames.major else {
        self = .otherVersion(major: major)
        return
      }
      self = .hello(try reader.take(ServiceHello.init(database:now:policy:)))
    case .answer: self = try reader.take(ServerFrame.answer)
    case .failure: self = try reader.take(ServerFrame.failure)
    case .lookAgain: self = .lookAgain
    }
    try reader.end()
  }
}
