import AuthBackend
import AuthCore
import TextFormat

enum ErrorTag: UInt8, WireTag {
  case invalid = 1, refused, credentials, challenged, session, notFresh, notPermitted, throttled, unavailable
}

extension BackendError: WireValue {
  func write(to wire: WireWriter) {
    wire.put(code, values)
    switch kind {
    case .invalid: wire.put(ErrorTag.invalid)
    case .refused: wire.put(ErrorTag.refused)
    case .credentials: wire.put(ErrorTag.credentials)
    case .challenged(let challenge): wire.put(ErrorTag.challenged, challenge)
    case .session(let rejection): wire.put(ErrorTag.session, rejection)
    case .notFresh: wire.put(ErrorTag.notFresh)
    case .notPermitted: wire.put(ErrorTag.notPermitted)
    case .throttled(let throttle): wire.put(ErrorTag.throttled, throttle)
    case .unavailable(let failure):
      wire.put(ErrorTag.unavailable, failure.cause, values.isEmpty)
      if values.isEmpty { wire.put(failure.description, failure.hint) }
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> BackendError {
    let code = try wire.shownText()
    let values = try wire.take([String].self).map(\.escaped)
    let kind: Kind
    switch try wire.take(ErrorTag.self) {
    case .invalid: kind = .invalid
    case .refused: kind = .refused
    case .credentials: kind = .credentials
    case .challenged: kind = .challenged(try wire.take())
    case .session: kind = .session(try wire.take())
    case .notFresh: kind = .notFresh
    case .notPermitted: kind = .notPermitted
    case .throttled: kind = .throttled(try wire.take())
    case .unavailable:
      let cause = try wire.take(Unavailability.Cause.self)
      let said = try wire.take() ? Unavailability(cause, wire.shownText(), hint: wire.shownText(), code: code) : nil
      return BackendError(said ?? Unavailability(cause, code: code, values: values))
    }
    return BackendError(kind, code, values)
  }
}

extension WireReader {
  /// A part of a message to people, which is printed as it is: what is no service of ours could put
  /// control characters of a terminal there.
  fileprivate mutating func shownText() throws(WireFault) -> String { try take(String.self).escaped }
}

extension Challenge: WireRecord {
  static let parts = WireParts(
    Challenge.init(token:question:triesLeft:deadline:), \.token, \.question, \.triesLeft, \.deadline)
}

enum QuestionTag: UInt8, WireTag { case code = 1, recoveryCode, other }

extension Challenge.Question: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .code(let digits): wire.put(QuestionTag.code, digits)
    case .recoveryCode: wire.put(QuestionTag.recoveryCode)
    case .other(let words): wire.put(QuestionTag.other, words)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> Challenge.Question {
    switch try wire.take(QuestionTag.self) {
    case .code: .code(digits: try wire.take())
    case .recoveryCode: .recoveryCode
    case .other: .other(try wire.shownText())
    }
  }
}

enum RejectionTag: UInt8, WireTag { case ended = 1, superseded }

extension SessionRejection: WireValue {
  func write(to wire: WireWriter) {
    switch self {
    case .ended(let reason): wire.put(RejectionTag.ended, reason)
    case .superseded: wire.put(RejectionTag.superseded)
    }
  }

  static func read(from wire: inout WireReader) throws(WireFault) -> SessionRejection {
    switch try wire.take(RejectionTag.self) {
    case .ended: .ended(try wire.take())
    case .superseded: .superseded
    }
  }
}

extension Unavailability.Cause: WireChoice {
  static let numbered: [Unavailability.Cause] = [
    .unreachable, .busy, .unreadable, .unparsable, .unwritable, .cancelled,
  ]
}
