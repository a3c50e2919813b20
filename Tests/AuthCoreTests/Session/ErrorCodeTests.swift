import Testing

@testable import AuthCore

@Suite struct ErrorCodeTests {
  static let all: [SessionError] =
    SessionError.Rejection.allCases.map { .rejected($0) } + [
      .credentialsNotAccepted, .throttled(.wait(.seconds(1))), .throttled(.locked), .unavailable(World.offline),
      .notSaved(World.diskError), .vault(World.diskError), .corrupt(World.evidence), .ended(.expired(.idle)),
      .overtaken, .clock(ClockError("The clock is gone.")), .insideLease, .cancelled,
    ]

  @Test("each error has a code of its own, in snake case, which does not change")
  func codes() {
    let codes = Self.all.map(\.code)
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { $0.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil })
    #expect(
      codes == [
        "not_logged_in", "already_logged_in", "challenge_over", "logout_unfinished",
        "already_in_progress", "renewal_in_progress", "renewals_failed", "logout_in_progress",
        "credentials_not_accepted", "throttled", "locked", "authority_unreachable", "not_saved", "vault_unreadable",
        "vault_corrupt", "session_expired_idle", "overtaken", "clock_unreadable", "inside_lease", "cancelled",
      ])
  }

  @Test("each code is documented")
  func documented() throws {
    let text = try Repository.text(of: "Sources/AuthCore/Session/SessionError+Code.swift")
    // An authority and the end of a session have codes of their own.
    for code in Self.all.map(\.code) where !["authority_unreachable", "session_expired_idle"].contains(code) {
      #expect(text.contains("  /// | `\(code)` |"))
    }
  }

  @Test("only what ends without the user can be tried again")
  func retryable() {
    let retryable = Self.all.filter(\.isRetryable).map(\.code)
    #expect(
      retryable == [
        "already_in_progress", "renewal_in_progress", "renewals_failed", "logout_in_progress",
        "throttled", "authority_unreachable", "not_saved", "vault_unreadable", "overtaken", "clock_unreadable",
      ])
  }

  @Test(
    "a wait is in words, and never shorter than it is",
    arguments: [
      (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min"),
      (.seconds(61), "1 min 1 s"), (.seconds(3600), "1 h"), (.seconds(3601), "1 h 1 min"),
      (.seconds(86_399), "1 day"), (.seconds(86_401), "1 day 1 h"), (.seconds(7 * 86_400), "7 days"),
      (.seconds(-5), "0 s"),
    ])
  func words(_ wait: Duration, _ words: String) {
    #expect(wait.inWords == words)
    #expect(SessionError.throttled(.wait(wait)).hint == "Try again in \(words).")
  }
}
