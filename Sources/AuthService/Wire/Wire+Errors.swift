import AuthBackend
import AuthCore
import TextFormat

enum ErrorTag: UInt8, CaseIterable {
  case invalid = 1, refused, credentials, challenged, session, notFresh, notPermitted, throttled, unavailable
}

enum QuestionTag: UInt8, CaseIterable { case code = 1, recoveryCode, other }
enum RejectionTag: UInt8, CaseIterable { case ended = 1, superseded }
enum CauseTag: UInt8, CaseIterable { case unreachable = 1, busy, unreadable, unparsable, unwritable, cancelled }

extension WireWriter {
  @discardableResult
  func error(_ value: BackendError) -> WireWriter {
    text(value.code).list(value.values, text)
    return switch value.kind {
    case .invalid: tag(ErrorTag.invalid)
    case .refused: tag(ErrorTag.refused)
    case .credentials: tag(ErrorTag.credentials)
    case .challenged(let challenge): tag(ErrorTag.challenged).challenge(challenge)
    case .session(let rejection): tag(ErrorTag.session).rejection(rejection)
    case .notFresh: tag(ErrorTag.notFresh)
    case .notPermitted: tag(ErrorTag.notPermitted)
    case .throttled(let throttle): tag(ErrorTag.throttled).throttle(throttle)
    case .unavailable(let unavailability):
      tag(ErrorTag.unavailable).cause(unavailability.cause)
        .optional(value.values.isEmpty ? unavailability : nil) { text($0.description).text($0.hint) }
    }
  }

  @discardableResult
  func challenge(_ value: Challenge) -> WireWriter {
    token(value.token).question(value.question).number(value.triesLeft).deadline(value.deadline)
  }

  @discardableResult
  func question(_ value: Challenge.Question) -> WireWriter {
    switch value {
    case .code(let digits): tag(QuestionTag.code).number(digits)
    case .recoveryCode: tag(QuestionTag.recoveryCode)
    case .other(let words): tag(QuestionTag.other).text(words)
    }
  }

  @discardableResult
  func rejection(_ value: SessionRejection) -> WireWriter {
    switch value {
    case .ended(let reason): tag(RejectionTag.ended).endReason(reason)
    case .superseded: tag(RejectionTag.superseded)
    }
  }

  @discardableResult
  func cause(_ value: Unavailability.Cause) -> WireWriter {
    switch value {
    case .unreachable: tag(CauseTag.unreachable)
    case .busy: tag(CauseTag.busy)
    case .unreadable: tag(CauseTag.unreadable)
    case .unparsable: tag(CauseTag.unparsable)
    case .unwritable: tag(CauseTag.unwritable)
    case .cancelled: tag(CauseTag.cancelled)
    }
  }
}

extension WireReader {
  mutating func error() throws(WireFault) -> BackendError {
    let code = try shownText()
    let values = try list { (reader) throws(WireFault) in try reader.shownText() }
    let kind: BackendError.Kind
    switch try tag(ErrorTag.self) {
    case .invalid: kind = .invalid
    case .refused: kind = .refused
    case .credentials: kind = .credentials
    case .challenged: kind = .challenged(try challenge())
    case .session: kind = .session(try rejection())
    case .notFresh: kind = .notFresh
    case .notPermitted: kind = .notPermitted
    case .throttled: kind = .throttled(try throttle())
    case .unavailable:
      let found = try cause()
      let said = try flag() ? Unavailability(found, shownText(), hint: shownText(), code: code) : nil
      return BackendError(said ?? Unavailability(found, code: code, values: values))
    }
    return BackendError(kind, code, values)
  }

  /// A part of a message to people, which is printed as it is: what is no service of ours could put
  /// control characters of a terminal there.
  private mutating func shownText() throws(WireFault) -> String { try text().escaped }

  mutating func challenge() throws(WireFault) -> Challenge {
    Challenge(token: try token(), question: try question(), triesLeft: try number(), deadline: try deadline())
  }

  mutating func question() throws(WireFault) -> Challenge.Question {
    switch try tag(QuestionTag.self) {
    case .code: .code(digits: try number())
    case .recoveryCode: .recoveryCode
    case .other: .other(try shownText())
    }
  }

  mutating func rejection() throws(WireFault) -> SessionRejection {
    switch try tag(RejectionTag.self) {
    case .ended: .ended(try endReason())
    case .superseded: .superseded
    }
  }

  mutating func cause() throws(WireFault) -> Unavailability.Cause {
    switch try tag(CauseTag.self) {
    case .unreachable: .unreachable
    case .busy: .busy
    case .unreadable: .unreadable
    case .unparsable: .unparsable
    case .unwritable: .unwritable
    case .cancelled: .cancelled
    }
  }
}
