import AuthAccounts
import AuthCore
import AuthMessages
import AuthRules
import AuthServer
import AuthService
import ConcurrencyKit
import Glibc
import TextFormat

/// An attempt that `health` makes on a thread of its own, because it may hang.
///
/// Only one attempt runs at a time. While it hangs, each report says for how long.
final class HealthProbe: Sendable {
  /// The duration of an attempt so far, and the code of its error; nil for success.
  struct Finding: Sendable {
    let took: Duration
    let fault: String?
  }

  private struct State {
    var began: ContinuousClock.Instant?
    var runs = 0
    var last = Finding(took: .zero, fault: nil)
  }

  private let state = Monitor(State())
  private let overdue: BackendError.FailureCode
  private let attempt: @Sendable () throws(BackendError) -> Void

  /// Creates a probe, where `overdue` is the error of an attempt that takes too long.
  ///
  /// Creates a probe, and makes no attempt yet.
  init(overdue: BackendError.FailureCode, _ attempt: @escaping @Sendable () throws(BackendError) -> Void) {
    (self.overdue, self.attempt) = (overdue, attempt)
  }

  /// Makes an attempt, or waits for the running one.
  func run(atMost limit: Duration) -> Finding {
    let (runs, began, isFirst) = state.withLock { state in
      let isFirst = state.began == nil
      let began = state.began ?? .now
      state.began = began
      return (state.runs, began, isFirst)
    }
    if isFirst, !startThread({ self.perform(since: began) }) { finish(began, overdue.rawValue) }
    let found = state.wait(atMost: limit) { $0.runs > runs ? $0.last : nil }
    return found ?? Finding(took: .now - began, fault: overdue.rawValue)
  }

  private func perform(since began: ContinuousClock.Instant) {
    do throws(BackendError) {
      try attempt()
      finish(began, nil)
    } catch {
      finish(began, error.code)
    }
  }

  private func finish(_ began: ContinuousClock.Instant, _ fault: String?) {
    state.change(wakingAll: true) { state in
      state.last = Finding(took: .now - began, fault: fault)
      state.began = nil
      state.runs += 1
    }
  }

  /// A probe that writes to the database what a payment writes.
  static func write(_ rules: Rules) -> HealthProbe {
    HealthProbe(overdue: .databaseBusy) { () throws(BackendError) in
      try rules.probe()
    }
  }

  /// A probe that sends a request over the socket for people, as their programs do.
  static func socket(_ listener: Int32) -> HealthProbe {
    HealthProbe(overdue: .serviceSilent) { () throws(BackendError) in
      var limits = ClientLimits()
      (limits.connecting, limits.answer) = (.seconds(5), .seconds(5))
      try ServiceAuthority(.unix(sockaddr_un.path(of: listener)), limits: limits).checkForLogins()
    }
  }
}

/// The state of the service as `health` and `metrics` report it.
struct Health {
  let status: ServiceStatus
  /// A write to the database.
  let write: HealthProbe.Finding
  /// A request over the socket for people.
  let request: HealthProbe.Finding

  /// How long a request waits before that is a problem: half of the time after which it is refused.
  private static let longestWait = Duration.seconds(5)

  var oldest: Duration { max(status.requests.oldest, status.passwords.oldest) }

  /// The problems, each as a clause; empty for a healthy service.
  var problems: [String] {
    let faults = status.counts.faults.count()
    return [
      write.fault.map { "a write to the database failed: \($0) (auth-service help codes)" },
      request.fault.map { "a request over the socket for people failed: \($0) (auth-service help codes)" },
      status.requests.oldest > Self.longestWait ? "requests wait for \(status.requests.oldest.words)" : nil,
      faults > 0 ? "requests failed in the last two minutes: \(faults); look at the log" : nil,
    ]
    .compactMap(\.self)
  }
}
