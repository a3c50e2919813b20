import AuthBackend
import AuthCore
import TextFormat

/// Why a connection brought no answer.
enum ServiceFault: Error, Hashable {
  /// The connection ended, inside a frame or between two.
  case lost(String)
  /// Nothing came in time.
  case silent(Duration)
  /// What came is not of the protocol.
  case garbled(WireFault)
  /// The frame has the number of another question, or is no answer.
  case unasked
  case otherVersion(UInt16)
  /// The service lets nobody in now, and says why.
  case refused(BackendError)
}

extension ServiceFault {
  /// What happened, as a clause.
  var reason: String {
    switch self {
    case .lost(let reason): reason
    case .silent(let time): "there was no answer within \(time.secondsRoundedUp) s"
    case .garbled(let fault): "what it sent was not understood: \(fault)"
    case .unasked: "it answered another question"
    case .otherVersion(let version): "it speaks version \(version) of the protocol, and this program \(Frames.major)"
    case .refused(let error): error.description
    }
  }

  /// What it means where nothing was changed.
  func failure(at place: String) -> BackendError {
    let what = "The service at \(place.escaped) gave no answer: \(reason)."
    switch self {
    case .refused(let error): return error
    case .lost:
      return .unavailable(
        .unreachable, "service_lost", what, hint: "Check that auth-service runs there; nothing was changed.")
    case .silent:
      return .unavailable(
        .unreachable, "service_silent", what, hint: "Check that auth-service runs there; nothing was changed.")
    case .garbled, .unasked:
      return .unavailable(
        .unparsable, "service_garbled", what,
        hint: "Check that it is auth-service, and that no start-up file of a shell prints anything there.")
    case .otherVersion(let version):
      return .unavailable(
        .unparsable, "service_other_version", what,
        hint: version > Frames.major
          ? "Install the newer auth-cli; nothing was changed."
          : "Install the newer auth-service there; nothing was changed.")
    }
  }

  /// What it means where a change was sent that may not be repeated.
  func outcomeUnknown(at place: String, key: String?) -> BackendError {
    .unavailable(
      .unwritable, "outcome_unknown",
      "The service at \(place.escaped) gave no answer: \(reason); the change may have been made all the same.",
      hint: key.map { "Pay again with --idempotency-key \($0): it is never paid twice." }
        ?? "Look whether it was made before you make it again.")
  }
}

/// How long to wait for a service.
package struct ClientLimits: Hashable, Sendable {
  /// Until it says hello, where nobody is asked for anything.
  package var connecting: Duration = .seconds(10)
  /// Until it says hello, where ssh may ask the user.
  package var asking: Duration = .seconds(300)
  /// For an answer.
  package var answer: Duration = .seconds(15)
  /// For an answer to a request that waits until a password is hashed.
  package var hashing: Duration = .seconds(60)
  /// For a service that went away, until a request is repeated.
  package var returning: Duration = .seconds(5)

  package init() {}
}
