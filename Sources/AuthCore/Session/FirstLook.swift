extension SessionStore {
  /// Runs only the first step of ``SessionStore/restore(within:)``, for a process that reads who is
  /// logged in and exits.
  ///
  /// It applies the same rules as `restore()`, without a store.
  ///
  /// - Returns: The grant of an active session; nil in every other case, which `restore()` then
  ///   distinguishes.
  package static func firstLook<Failure: Error>(
    at reading: VaultReading, clock: any SessionClock, lookUp: (SessionToken) throws(Failure) -> Grant?
  ) throws(Failure) -> Grant? {
    guard case .token(let token, _) = reading, let grant = try lookUp(token), grant.token == token,
      grant.flaw(on: clock) == nil
    else { return nil }
    return grant
  }
}
