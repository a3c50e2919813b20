import AuthCore
import AuthCoreTesting
import Dispatch
import Guards
import Synchronization

/// An authority that can block its callers, as a password hash or a disk would, and records their
/// threads.
final class BlockingAuthority: Authority {
  private let base: ScriptedAuthority
  private let isShut = Atomic<Bool>(false)
  private let gate = DispatchSemaphore(value: 0)
  private let blocked = Atomic<Int>(0)
  private let threads = Locked<Set<String>>([])

  /// The number of blocked calls.
  var blockedCalls: Int { blocked.load(ordering: .sequentiallyConsistent) }
  var callers: Set<String> { threads.withLock { $0 } }

  init(_ base: ScriptedAuthority) { self.base = base }

  /// Makes calls block from now on.
  func shut() { isShut.store(true, ordering: .sequentiallyConsistent) }

  /// Releases all calls.
  func open() {
    isShut.store(false, ordering: .sequentiallyConsistent)
    gate.signal()
  }

  private func blockIfShut() {
    _ = threads.withLock { $0.insert(currentThread()) }
    guard isShut.load(ordering: .sequentiallyConsistent) else { return }
    blocked.add(1, ordering: .sequentiallyConsistent)
    gate.wait()
    // Each released call also releases the next one.
    gate.signal()
    blocked.subtract(1, ordering: .sequentiallyConsistent)
  }

  func authenticate(
    _ credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<CredentialsRejection>) -> Authentication {
    blockIfShut()
    return try await base.authenticate(credentials, limits: limits)
  }

  func resume(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    blockIfShut()
    return try await base.resume(token)
  }

  func renew(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) -> Grant {
    blockIfShut()
    return try await base.renew(token)
  }

  func reauthenticate(
    _ token: SessionToken, with credentials: Credentials, limits: LimitRequest
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    blockIfShut()
    return try await base.reauthenticate(token, with: credentials, limits: limits)
  }

  func answer(
    _ challenge: Challenge, with answer: Secret
  ) async throws(AuthorityError<ReauthenticationRejection>) -> Authentication {
    blockIfShut()
    return try await base.answer(challenge, with: answer)
  }

  func confirm(_ token: SessionToken) async throws(AuthorityError<SessionRejection>) {
    blockIfShut()
    try await base.confirm(token)
  }

  func revoke(_ token: SessionToken, reason: EndReason) async throws(Unavailability) {
    blockIfShut()
    try await base.revoke(token, reason: reason)
  }
}
