package import AuthAccounts
import AuthCore
import TextFormat

/// The reason why a request got no answer.
package enum ServiceFault: Error, Hashable {
  /// The connection ended, inside a frame or between two.
  case lost(String)
  /// The timeout of an answer passed.
  case silent(Duration)
  /// The message is not valid in the protocol.
  case garbled(WireFault)
  /// The message is the answer to another request, or no answer.
  case unasked
  case otherVersion(UInt16)
  /// The service does not accept the connection now, for this reason.
  case refused(BackendError)
}

extension ServiceFault {
  /// Reads a message with `body`, whose error becomes the fault of the connection.
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

  /// The error for the caller where nothing was changed.
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

/// The timeouts of a client of a service.
package struct ClientLimits: Hashable, Sendable {
  /// The timeout of a connection, where ssh may not prompt the user.
  package var connecting: Duration = .seconds(10)
  /// The timeout of a connection, where ssh may prompt the user.
  package var asking: Duration = .seconds(300)
  /// The timeout of an answer that needs no password hash.
  package var answer: Duration = .seconds(15)
  /// The timeout of an answer that needs a password hash: behind a full queue, that takes minutes
  /// on a slow machine.
  package var hashing: Duration = .seconds(180)
  /// How long to try to reach a service again whose answer was lost.
  package var returning: Duration = .seconds(5)
  /// Whether ssh may prompt the user, and print why it failed.
  package var isInteractive = true

  package init() {}

  /// The timeouts for completions in a shell: short, and ssh does not prompt or print.
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
