import AuthCoreTesting
import Testing

@testable import AuthCore

private enum UploadError: Error { case tooLarge }

@Suite("Errors", .timeLimit(.minutes(10)))
struct ErrorTests {
  static let all: [SessionError] =
    // Callers get two answers of the machine as other errors.
    SessionError.Rejection.Kind.allCases.filter { $0 != .insideLease && $0 != .storeReleased }.map {
      .rejected(SessionError.Rejection(kind: $0))
    } + [
      .credentialsNotAccepted, .throttled(.wait(.seconds(1))), .throttled(.locked), .unavailable(World.offline),
      .notSaved(World.diskError), .vault(World.diskError), .corrupt(World.evidence), .ended(.expired(.idle)),
      .overtaken, .clock(ClockError("The clock is gone.")), .insideLease, .cancelled, .timedOut,
    ]

  @Test("each error has a code of its own, in snake case, which does not change")
  func codes() {
    #expect(
      Self.all.map(\.code) == [
        "not_logged_in", "already_logged_in", "challenge_over", "logout_unfinished",
        "already_in_progress", "renewal_in_progress", "renewals_failed", "logout_in_progress", "other_session",
        "credentials_not_accepted", "throttled", "locked", "authority_unreachable", "not_saved", "vault_unreadable",
        "vault_corrupt", "session_expired_idle", "overtaken", "clock_unreadable", "inside_lease", "cancelled",
        "timed_out",
      ])
  }

  @Test("each code is documented")
  func documented() throws {
    let text = try Repository.text(of: "Sources/Library/AuthCore/Session/SessionError+Code.swift")
    // An authority and the end of a session have codes of their own.
    let codes = Self.all.map(\.code).filter { !["authority_unreachable", "session_expired_idle"].contains($0) }
    #expect(codes.filter { !text.contains("  /// | `\($0)` |") } == [])
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
      (.seconds(-5), "0 s"), (.milliseconds(1500), "2 s"),
      (Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999), "106751991167300 days 15 h"),
    ])
  func words(_ wait: Duration, _ words: String) {
    #expect(wait.inWords == words)
    #expect(SessionError.throttled(.wait(wait)).hint == "Try again in \(words).")
  }

  private static let user = User(id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .member)
  private static let clock = ClockError("The clock is gone.")

  static let errors: [any ExplainedError] =
    (all as [any ExplainedError]) + EndReason.allCases.map(SessionError.ended) + [
      LogoutError.insideLease, LogoutError.cancelled, LogoutError.timedOut, FreshnessError.passwordNotRecent,
      FreshnessError.ended(.revoked),
      FreshnessError.clock(clock), RoleError.notAdministrator(user), RoleError.ended(.revoked),
      LeaseError<UploadError>.ended(.revoked), LeaseError<SessionError>.body(.overtaken),
      RestoreFailure.vault(World.diskError), RestoreFailure.corrupt(World.evidence),
      RestoreFailure.authority(World.offline),
      AuthorityError<CredentialsRejection>.rejected(.notAccepted),
      AuthorityError<SessionRejection>.rejected(.superseded),
      AuthorityError<SessionRejection>.rejected(.ended(.revoked)),
      AuthorityError<ReauthenticationRejection>.rejected(.notAccepted),
      AuthorityError<ReauthenticationRejection>.rejected(.session(.superseded)),
      AuthorityError<SessionRejection>.throttled(.locked), AuthorityError<SessionRejection>.unavailable(World.offline),
      World.offline, World.diskError, clock,
    ]

  @Test("the description and the hint of an error are two different sentences", arguments: errors.indices)
  func sentences(_ index: Int) {
    let error = Self.errors[index]
    for text in ["\(error)", error.description, error.hint] {
      #expect(text.first?.isUppercase ?? false, "\(text)")
      #expect(text.last == ".", "\(text)")
      #expect(text.count > 6 && !text.contains("SessionError") && !text.contains("\n"), "\(text)")
    }
    #expect(error.description != error.hint)
  }

  @Test("an end reason is found by its code, and an unknown code has none", arguments: EndReason.allCases)
  func reasons(_ reason: EndReason) {
    #expect(EndReason(code: reason.code) == reason)
    #expect(EndReason(code: reason.code + "x") == nil)
  }
}
