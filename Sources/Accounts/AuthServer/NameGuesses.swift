import AuthAccounts
import AuthService
import Glibc

/// Bounds how many user names each user of the machine can try, and each name within that user.
///
/// A database forgets names without an account after a million others, so its own throttle does not
/// end a search for names.
struct NameGuesses: Sendable {
  /// Registrations, and checks of whether a name is free.
  private let names: CallerRates
  /// Logins and recoveries that failed.
  private let failures: CallerRates

  /// Creates the bounds; nothing is counted yet.
  init(_ limits: ServiceLimits) {
    names = CallerRates(burst: limits.namesOfUser, perSecond: 1 / 60)
    failures = CallerRates(burst: limits.failuresOfUser, perSecond: 0.1)
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
    switch request.operation.number {
    case .register, .checkUsername:
      try names.require(caller)
      names.count(caller)
      return try perform()
    case .logIn, .recover:
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
