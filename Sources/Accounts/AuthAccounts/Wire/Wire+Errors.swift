package import AuthCore
import TextFormat

// Parts of messages are printed as they are. Another program in place of the service could send
// control characters for the terminal, so they are escaped when they are read.

extension BackendError: WireRecord {
  package static let parts = WireParts<BackendError>(
    { (code: String, values: [String], kind: Kind) in
      let (code, values) = (code.escaped, values.map(\.escaped))
      guard case .unavailable(let failure) = kind else { return BackendError(kind, code, values) }
      return values.isEmpty
        ? BackendError(Unavailability(failure.cause, failure.description, hint: failure.hint, code: code))
        : .failure(failure.cause, code, values)
    }, \.code, \.values, \.kind)
}

extension BackendError.Kind: WireUnion {
  package static let forms: [WireForm<BackendError.Kind>] = [
    WireForm(BackendError.Kind.invalid),
    WireForm(.refused),
    WireForm(.credentials),
    WireForm(Self.challenged) { if case .challenged(let challenge) = $0 { challenge } else { nil } },
    WireForm(Self.session) { if case .session(let rejection) = $0 { rejection } else { nil } },
    WireForm(.notFresh),
    WireForm(.notPermitted),
    WireForm(Self.throttled) { if case .throttled(let throttle) = $0 { throttle } else { nil } },
    WireForm(Self.unavailable) { if case .unavailable(let failure) = $0 { failure } else { nil } },
  ]
}

extension Unavailability: WireRecord {
  package static let parts = WireParts<Unavailability>(
    { (cause, words: Words?) in
      Unavailability(cause, words?.description.escaped ?? "", hint: words?.hint.escaped ?? "")
    }, \.cause, \.words)

  /// The description and the hint, which are sent only if there are no values to build them from.
  private var words: Words? {
    values.isEmpty ? Words(description: description, hint: hint) : nil
  }

  private struct Words: WireRecord {
    let description: String
    let hint: String

    package static let parts = WireParts(Words.init(description:hint:), \.description, \.hint)
  }
}

extension Unavailability.Cause: WireUnion {
  package static let forms: [WireForm<Unavailability.Cause>] = [
    Self.unreachable, .busy, .unreadable, .unparsable, .unwritable, .cancelled, .unsupported, .refused,
  ].map { WireForm($0) }
}

extension Challenge: WireRecord {
  package static let parts = WireParts(
    Challenge.init(token:question:triesLeft:deadline:), \.token, \.question, \.triesLeft, \.deadline)
}

extension Challenge.Question: WireUnion {
  package static let forms: [WireForm<Challenge.Question>] = [
    WireForm(Self.code) { if case .code(let digits) = $0 { digits } else { nil } },
    WireForm(.recoveryCode),
    WireForm({ Self.other($0.escaped) }) { if case .other(let words) = $0 { words } else { nil } },
  ]
}

extension SessionRejection: WireUnion {
  package static let forms: [WireForm<SessionRejection>] = [
    WireForm(SessionRejection.ended) { if case .ended(let reason) = $0 { reason } else { nil } },
    WireForm(.superseded),
  ]
}
