import AuthBackend
import Glibc

/// Bounds how many user names each user of the machine can try, and each name within that user.
///
/// A database forgets names without an account after a million others, so its own throttle does not
/// end a search for names.
struct NameGuesses: Sendable {
  /// A bound of a user, and of a name, which has a quarter of it: so that of the people who share a
  /// user none uses up what the others need.
  private struct Bound: Sendable {
    private let users: Rates<Caller>
    private let names: Rates<Caller>

    init(burst: Int, perSecond: Double) {
      users = Rates(burst: burst, perSecond: perSecond)
      names = Rates(burst: burst == .max ? .max : max(1, burst / 4), perSecond: perSecond / 4)
    }

    func require(_ caller: Caller) throws(BackendError) {
      if caller.name != nil { try names.require(caller) }
      try users.require(Caller(user: caller.user))
    }

    func count(_ caller: Caller) {
      if caller.name != nil { names.count(caller) }
      users.count(Caller(user: caller.user))
    }
  }

  /// Registrations, and checks of whether a name is free.
  private let names: Bound
  /// Logins and recoveries that failed.
  private let failures: Bound

  /// Creates the bounds; nothing is counted yet.
  init(_ limits: ServiceLimits) {
    names = Bound(burst: limits.namesOfUser, perSecond: 1 / 60)
    failures = Bound(burst: limits.failuresOfUser, perSecond: 0.1)
  }

  /// Performs a request, unless it tries a name and its caller has tried too many.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - caller: The user of the machine that sent it, with the name of a forced command.
  ///   - perform: Performs it.
  /// - Returns: What `perform` returns.
  /// - Throws: ``BackendError`` of kind `unavailable` (`service_busy`) with the wait, and what
  ///   `perform` throws.
  func limited<Output>(
    _ request: Request, of caller: Caller, _ perform: () throws(BackendError) -> Output
  ) throws(BackendError) -> Output {
    switch request.operation.name {
    case Operations.register.name, Operations.checkUsername.name:
      try names.require(caller)
      names.count(caller)
      return try perform()
    case Operations.logIn.name, Operations.recover.name:
      try failures.require(caller)
      do throws(BackendError) {
        return try perform()
      } catch {
        if error.kind == .credentials { failures.count(caller) }
        throw error
      }
    case _: return try perform()
    }
  }
}
