import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// An access token that a server refused, though it is not over.
enum RefusedToken: Redacted {
  /// The saved one, unless it was granted within the last seconds: then another process has renewed
  /// it for the same reason.
  case saved
  /// This one, if it is still the saved one.
  case token(Secret)

  /// How long all who ask get one new token.
  private static let shared = Duration.seconds(5)

  /// Whether the saved token, which was requested then, is the refused one.
  func isMeant(_ saved: AccessToken, requested: BootInstant?, now: BootInstant) -> Bool {
    switch self {
    case .token(let token): return token == Secret(saved.value)
    case .saved:
      guard let requested, requested.boot == now.boot else { return true }
      return now.uptime - requested.uptime >= Self.shared
    }
  }
}

/// A valid access token of a context, from the session file or renewed just now.
struct SavedAccess: Redacted {
  /// How long the token must be valid; by default long enough for the request that uses it.
  static let minimum = Option.standard(
    "min-valid", "DURATION", Kinds.duration, "Renew the token if it is valid for less", standard: .seconds(10),
    shownAs: "10s")

  let token: AccessToken
  let output: CommandOutput
  private let clock: any SessionClock

  /// Takes the access token of the session file, or renews it, without a prompt.
  ///
  /// A valid token is not lent by a store, as `withAccess` does: to restore one needs the settings
  /// of the provider and a transport, which takes longer than all of this. Only the store renews.
  ///
  /// It reads only the session file if the token is valid for long enough, no limit of the login
  /// has ended the session, and the token is not the `refused` one. A process that lasts,
  /// `isLasting`, does not renew at each use what can never be valid for so long.
  init(
    _ words: ParsedWords, in location: ContextLocation, _ output: CommandOutput, insteadOf refused: RefusedToken? = nil,
    isLasting: Bool = false
  ) async throws(CommandError) {
    var minimum = words[Self.minimum]
    let clock = BootClock()
    (self.output, self.clock) = (output, clock)
    if location.mayBeOfOtherResource { _ = try ContextLogin(of: location) }
    var old: AccessToken?
    var isRenewable = true
    if case .token(let session, let details) = location.vault(for: .anyProvider).read(), let saved = details.accessToken
    {
      let login = SavedLogin(session)
      if let requested = login?.requested, case .at(let end) = saved.deadline {
        let lifetime = end.uptime - requested.uptime
        // A token with a short lifetime is renewed in its last quarter, and not at each call.
        let isUnattainable = isLasting && lifetime < minimum
        if isUnattainable || words.origin(of: Self.minimum) == .notGiven { minimum = min(minimum, lifetime / 4) }
      }
      let now = try explained { () throws(ClockError) in try clock.now() }
      if let refused, refused.isMeant(saved, requested: login?.requested, now: now) {
        old = saved
        isRenewable = login?.isRenewable ?? true
      }
      // A limit of the login, such as `--absolute`, may have ended the session.
      if old == nil, saved.isValid(for: minimum, at: now), login?.endReason(at: now) == nil {
        token = saved
        return
      }
    }
    switch try ContextLogin(of: location) {
    case .user(let settings):
      // Without a refresh token, the provider is asked whether the token still works.
      token = try await atProvider(settings) { () async throws(CommandError) in
        try await ProviderWorkspace(location, output, settings, onlyTokens: isRenewable)
          .accessToken(validFor: minimum, insteadOf: old)
      }
    case .client(let settings):
      token = try await ClientWorkspace(location, output, settings).accessToken(validFor: minimum, insteadOf: old)
    case nil:
      if let resource = location.resource { throw CommandError(code: .notAtResource, resource.text) }
      // A directory that cannot be used has no settings either.
      let atDatabase = location.vault(for: location.directories.service == nil ? .embedded : .server)
      if case .unavailable(let failure) = atDatabase.read() { throw CommandError(failure) }
      throw CommandError(code: .notAtProvider, location.context.description)
    }
  }

  /// When the token expires, by the wall clock; nil if the provider did not say.
  func end() throws(CommandError) -> UTCTime? { try Deadlines(clock: clock).moment(token.deadline) }

  /// The members of a JSON document; without `--json`, none.
  func members() throws(CommandError) -> JSON {
    guard output.asJSON else { return [:] }
    return [
      "access_token": .string(token.value), "token_type": "Bearer", "expires_at": .string(orNull: try end()?.iso8601),
    ]
  }
}
