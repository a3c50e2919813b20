import AuthCore
import AuthCoreTesting
import Testing

private enum UploadError: Error { case tooLarge, offline }

@Suite("Errors for people")
struct ErrorWordTests {
  private static let user = User(id: UserID(rawValue: "1"), username: "alice", displayName: "Alice", role: .member)
  private static let clock = ClockError("The clock is gone.")

  private static func challenge(_ question: Challenge.Question) -> Challenge {
    Challenge(token: SessionToken(bytes: [1]), question: question, triesLeft: 3, deadline: .never)
  }

  static let errors: [any ExplainedError] =
    (ErrorCodeTests.all as [any ExplainedError]) + EndReason.allCases.map(SessionError.ended) + [
      LogoutError.insideLease, LogoutError.cancelled, FreshnessError.passwordNotRecent, FreshnessError.ended(.revoked),
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
    ] + Unavailability.Cause.allCases.map { Unavailability($0, code: "file_busy", values: ["/data", "it is locked"]) }

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

  @Test("an unavailability of a code says its values, and not that nothing was changed where that is not known")
  func codes() {
    let busy = Unavailability(.busy, code: "file_busy", values: ["/data", "it is locked"])
    #expect(busy.description == "The authority is busy: /data, it is locked.")
    #expect(busy.hint.hasSuffix("nothing was changed."))
    #expect(!Unavailability(.unwritable, code: "file_lost", values: []).hint.contains("nothing was changed"))
  }

  @Test("the wait is rounded up to whole seconds")
  func wait() {
    #expect(SessionError.throttled(.wait(.milliseconds(1500))).hint == "Try again in 2 s.")
    let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
    #expect(SessionError.throttled(.wait(longest)).hint == "Try again in 106751991167300 days 15 h.")
  }

  @Test("an app catches its own error by name through a lease")
  func ownError() async throws {
    let (world, key) = try await World.withAlice()
    func upload(_ lease: borrowing SessionLease) async throws(UploadError) { throw .tooLarge }
    var caught: [String] = []
    do throws(LeaseError<UploadError>) {
      try await key.withLease(upload)
    } catch {
      switch error {
      case .body(.tooLarge): caught.append("too large")
      case .body(.offline): caught.append("offline")
      case .ended(let reason): caught.append(reason.code)
      }
    }
    do {
      try await key.withLease { (lease: borrowing SessionLease) async throws(UploadError) in try await upload(lease) }
    } catch LeaseError<UploadError>.body(.tooLarge) {
      caught.append("too large")
    }
    #expect(caught == ["too large", "too large"])
    try await world.store.logOut()
  }

  @Test("an end reason is found by its code, and an unknown code has none", arguments: EndReason.allCases)
  func codes(_ reason: EndReason) {
    #expect(EndReason(code: reason.code) == reason)
    #expect(EndReason(code: reason.code + "x") == nil)
  }
}
