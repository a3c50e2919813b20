/// The note of an exchange, from which a vault decides about the next lock.
package struct ExchangeNote: Hashable, Sendable {
  /// How far the exchange got, as far as the vault knows.
  package enum State: Hashable, Sendable {
    /// The exchange began, and its end is not known.
    case begun
    /// The exchange ended without a usable answer, at this time; the token may be spent if it was
    /// sent.
    case failed(Unavailability.Cause, at: BootInstant, wasSent: Bool)
    /// The authority refused the token, for this reason.
    case refused(EndReason)
  }

  /// The mark of the token that the exchange is about, as its vault computes it.
  package let mark: [UInt8]
  /// When the request began after which the token may be spent.
  package var began: BootInstant
  /// How far the exchange got.
  package var state: State
  /// How long the authority asks to wait after a failure; zero if it does not.
  package var pause = Duration.zero
  /// The pause after a failure of an authority that is busy and does not ask for one: a loop of
  /// calls must not make that worse.
  private static let shortPause = Duration.seconds(2)

  /// Creates the note of an exchange.
  package init(mark: [UInt8], began: BootInstant, state: State = .begun) {
    self.mark = mark
    self.began = began
    self.state = state
  }

  /// The decision about a lock.
  package enum Decision: Hashable, Sendable {
    /// The caller may exchange the token. An exchange that began then got no answer.
    case acquired(interrupted: BootInstant?)
    /// The vault no longer holds the token.
    case changed
    /// The authority refused the token to an earlier holder, for this reason.
    case refused(EndReason)
    /// The holder for which the caller waited got no answer, or one got none so recently that the
    /// caller has to wait.
    case failed(Unavailability)
  }

  /// Decides whether a caller that now excludes all others may exchange the token with this mark.
  ///
  /// - Parameters:
  ///   - mark: The mark of the locked token.
  ///   - saved: The mark of the token in the vault; nil if there is none.
  ///   - note: The note that the vault has.
  ///   - waiting: When the caller began to wait for another one; nil if it did not wait.
  ///   - now: The current instant, if the pause after a failure counts for the caller.
  /// - Returns: What the caller may do.
  package static func decide(
    _ mark: [UInt8], saved: [UInt8]?, note: ExchangeNote?, waiting: BootInstant?, now: BootInstant? = nil
  ) -> Decision {
    guard saved == mark else { return .changed }
    guard let note, note.mark == mark else { return .acquired(interrupted: nil) }
    switch note.state {
    case .begun: return .acquired(interrupted: note.began)
    case .failed(let cause, let end, let wasSent):
      let left = now.flatMap { note.pauseLeft(after: end, at: $0) }
      let isShared = waiting.map { end.boot == $0.boot && end.uptime >= $0.uptime } ?? false
      guard isShared || left != nil else { return .acquired(interrupted: wasSent ? note.began : nil) }
      let isAsked = note.pause > .zero
      return .failed(
        Unavailability(
          cause, isAsked ? "The authority asks to wait." : "Another process got no answer from the authority just now.",
          hint: "Try again later.", isUnsent: !isShared, retryAfter: isAsked ? left ?? note.pause : nil))
    case .refused(let reason): return .refused(reason)
    }
  }

  /// The rest of the pause after a failure at `end`; nil if it is over.
  private func pauseLeft(after end: BootInstant, at now: BootInstant) -> Duration? {
    let whole = pause > .zero ? pause : failure == .busy ? Self.shortPause : .zero
    guard end.boot == now.boot, now.uptime >= end.uptime else { return nil }
    let left = end.uptime + whole - now.uptime
    return left > .zero ? left : nil
  }

  /// The note after a lock of this note's token ends without a new token; nil for no note.
  ///
  /// - Parameters:
  ///   - end: How the lock ended.
  ///   - interrupted: When an earlier exchange of the token began that was interrupted.
  ///   - now: The current instant.
  /// - Returns: The note to write.
  package func ended(_ end: ExchangeEnd, interrupted: BootInstant?, at now: BootInstant) -> ExchangeNote? {
    var note = self
    note.began = interrupted ?? began
    switch end {
    case .replaced: return nil
    case .unsent: return interrupted == nil ? nil : note
    case .unknown(let cause):
      note.state = .failed(cause.cause, at: now, wasSent: interrupted != nil || !cause.isUnsent)
      note.pause = cause.retryAfter ?? .zero
    case .refused(let reason): note.state = .refused(reason)
    }
    return note
  }
}

extension ExchangeNote {
  /// Why an exchange of the token failed, if that is known.
  package var failure: Unavailability.Cause? {
    if case .failed(let cause, _, _) = state { cause } else { nil }
  }
}
