import AuthAccounts
package import AuthCore
import AuthMessages
package import CommandLineKit
package import TextFormat

/// Converts deadlines of the boot clock into times of the wall clock, for display only.
package struct Deadlines {
  private let now: BootInstant
  private let wallNow: Int64

  package init(clock: any SessionClock) throws(CommandError) {
    now = try explained { () throws(ClockError) in try clock.now() }
    wallNow = WallTime.now().seconds
  }

  /// The time of the deadline; nil if it has none.
  package func moment(_ deadline: Deadline) -> UTCTime? {
    switch deadline {
    case .at(let instant): UTCTime(seconds: wallNow + (instant.uptime - now.uptime).wholeSeconds)
    case .never, .unknown: nil
    }
  }

  /// The time until the deadline in words: `29 min`.
  package func remaining(_ deadline: Deadline) -> String {
    switch deadline {
    case .at(let instant): (instant.uptime - now.uptime).words
    case .never: "no limit"
    case .unknown: "over"
    }
  }

  /// The time until the earlier of the two limits in words.
  package func remaining(_ limits: SessionLimits) -> String { remaining(limits.first) }

  /// When the session ends, as a sentence: without activity, and at the latest.
  package func ending(_ idle: Deadline, _ absolute: Deadline = .never) -> String {
    switch (left(idle), left(absolute)) {
    case ("now"?, _), (_, "now"?): "The session ends now."
    case (let idle?, let absolute?):
      "The session ends after \(idle) without activity, and in \(absolute) at the latest."
    case (let idle?, nil): "The session ends after \(idle) without activity."
    case (nil, let absolute?): "The session ends in \(absolute)."
    case (nil, nil): "The session has no time limit."
    }
  }

  /// `29 min`, or `now` for a limit that has passed; nil for none.
  private func left(_ deadline: Deadline) -> String? {
    switch deadline {
    case .at(let instant): instant.uptime > now.uptime ? remaining(deadline) : "now"
    case .never: nil
    case .unknown: "now"
    }
  }

  /// How long ago a moment was, in words: `5 min ago`.
  package static func ago(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "just now"
    case ..<7200: "\(seconds / 60) min ago"
    case ..<172_800: "\(seconds / 3600) h ago"
    case _: "\(seconds / 86_400) days ago"
    }
  }

  /// The remaining time at which the words for a wait change next.
  package static func nextChange(ofWait duration: Duration) -> Duration {
    let seconds = duration.wholeSeconds
    let step: Int64 = seconds < 120 ? 1 : 60
    return .seconds((seconds - 1) / step * step)
  }
}

extension SessionLimits {
  /// The earlier of the two limits.
  package var first: Deadline { earliest.map { .at($0) } ?? .never }
}

extension SessionStore {
  /// The time until the next limit of the session; nil without a limit.
  package func timeUntilLimit(by clock: any SessionClock) throws(ClockError) -> Duration? {
    guard let earliest = session?.limits.earliest else { return nil }
    return earliest.uptime - (try clock.now()).uptime
  }
}

extension Duration {
  /// The longest wait for a limit of a session, so that a machine that slept is noticed.
  package static let longestWaitForLimit = Duration.seconds(300)
}
