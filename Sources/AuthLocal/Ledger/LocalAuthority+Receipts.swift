public import AuthBackend
public import AuthCore

extension LocalAuthority {
  /// Payments from and to the leased session's account, newest first.
  ///
  /// - Parameters:
  ///   - before: Only older ones than this receipt; nil begins with the newest.
  ///   - limit: How many at most.
  ///   - lease: The session whose account it is.
  /// - Returns: The page; shorter than `limit` when it is the last.
  /// - Throws: ``LocalFailure`` of kind `session` or `unavailable`.
  public func receipts(
    before: Int64? = nil, limit: Int = 50, under lease: borrowing SessionLease
  ) throws(LocalFailure) -> [Receipt] {
    try receipts(before: before, limit: limit, token: lease.token)
  }
}
