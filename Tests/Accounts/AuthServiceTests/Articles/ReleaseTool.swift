import AuthAccounts
import AuthCore
import AuthDevice
import AuthService
import Foundation

/// The screen that releases, which cannot be created without a session.
final class ReleaseScreen: GuardedScreen, Sendable {
  private let key: LiveKey

  init(session: LoggedInSession) { key = LiveKey(session) }
  func follow(_ session: LoggedInSession) { key.follow(session) }
  func dismiss(_ reason: EndReason) { key.dismiss(reason) }

  /// Appends a line to a log that exists; needs a recent password.
  func release(_ version: String, in log: String) throws {
    let fresh = try FreshSession(key.session)
    // A logout waits until the line is written, or the body does not start.
    try fresh.session.withLease { (lease: borrowing SessionLease) in
      let file = try FileHandle(forWritingTo: URL(filePath: log))
      defer { try? file.close() }
      try file.seekToEnd()
      try file.write(contentsOf: Data("\(lease.user.username) released \(version)\n".utf8))
    }
  }
}

/// Releases a version as the user who is logged in, or who logs in now.
///
/// - Parameters:
///   - version: What to release.
///   - log: The file that gets a line.
///   - address: The service, such as `unix:/run/auth-cli/authority.sock`.
///   - directory: The session files of this user, such as `~/.local/state/auth-cli`.
///   - ask: Prompts for a user name, and for secrets without echo.
/// - Throws: The reason why nothing was released.
func release(
  _ version: String, in log: String, at address: String, sessions directory: String,
  ask: (_ question: String) throws -> String
) async throws {
  let service = try ServiceAuthority(address: address, label: "release")
  let vault = FileVault(directory: directory, issuer: service.issuer)
  let store = SessionStore(authority: service, vault: vault, clock: service.clock)
  if case .obstructed(let cause) = await store.restore() { throw cause }  // nobody knows: no second login
  if store.session == nil {
    let name = try ask("User: ")
    var result = try await store.logIn(Credentials.password(username: name, password: Secret(try ask("Password: "))))
    while case .challenged(let challenge) = result {
      result = try await store.answer(Secret(try ask("Code: ")), to: challenge)
    }
  }
  guard let screen = store.open(ReleaseScreen.self) else { return }
  try screen.release(version, in: log)
}
