package import AuthBackend
import AuthCore
import TextFormat

/// Why a connection brought no answer.
package enum ServiceFault: Error, Hashable {
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
  /// What `body` reads; garbled where it is not of the protocol.
  static func reading<Value>(_ body: () throws(WireFault) -> Value) throws(ServiceFault) -> Value {
    do throws(WireFault) {
      return try body()
    } catch .otherVersion(let version) {
      throw .otherVersion(version)
    } catch {
      throw .garbled(error)
    }
  }

  /// What happened, as a clause.
  var reason: String {
    switch self {
    case .lost(let reason): reason
    case .silent(let time): "there was no answer within \(time.wholeSeconds) s"
    case .garbled(let fault): "what it sent was not understood: \(fault)"
    case .unasked: "it answered another question"
    case .otherVersion(let version):
      "the service speaks version \(version) of the protocol; this program speaks \(Frames.major)"
    case .refused(let error): "it said '\(error.asUnavailability.description)'"
    }
  }

  /// What it means where nothing was changed.
  func failure(at place: String) -> BackendError {
    switch self {
    case .lost: .unavailable(.serviceLost, place.escaped, reason)
    case .silent: .unavailable(.serviceSilent, place.escaped, reason)
    case .garbled, .unasked: .unavailable(.serviceGarbled, place.escaped, reason)
    case .otherVersion(let version):
      .unavailable(
        .serviceOtherVersion, place.escaped, "\(version)", "\(Frames.major)",
        version > Frames.major ? "auth-cli" : "auth-service there")
    case .refused(let error): BackendError(error.asUnavailability)
    }
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
  /// For an answer to a request that waits until a password is hashed: behind a full queue, that
  /// takes minutes on a slow machine.
  package var hashing: Duration = .seconds(180)
  /// For a service that went away, until a request is repeated.
  package var returning: Duration = .seconds(5)
  /// Whether ssh may ask the user, and print why it failed.
  package var isInteractive = true

  package init() {}

  /// For what a shell shows while somebody types: nothing is asked or printed, and no wait is long.
  ///
  /// A service on this machine answers within milliseconds, and ssh needs a part of a second.
  package static func hurried(at address: ServiceAddress) -> ClientLimits {
    let limit: Duration =
      switch address {
      case .unix: .milliseconds(250)
      case .ssh: .seconds(1)
      }
    var limits = ClientLimits()
    (limits.connecting, limits.answer, limits.hashing) = (limit, limit, limit)
    (limits.returning, limits.isInteractive) = (.zero, false)
    return limits
  }
}
