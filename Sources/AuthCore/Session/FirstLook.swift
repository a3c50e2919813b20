extension SessionStore {
  /// The first step of ``restore()`` alone, for a process that only asks who is logged in and ends.
  ///
  /// It judges the answer as `restore()` does, without a store and its machinery.
  ///
  /// - Returns: The grant of a session that is active; nil in every other case, and `restore()`
  ///   then says which it is.
  package static func firstLook<Failure: Error>(
    at reading: VaultReading, clock: any SessionClock, lookUp: (SessionToken) throws(Failure) -> Grant?
  ) throws(Failure) -> Grant? {
    guard case .token(let token) = reading, let grant = try lookUp(token), grant.token == token,
      grant.flaw(on: clock) == nil
    else { return nil }
    return grant
  }
}
