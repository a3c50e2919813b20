public import AuthCore

extension SessionStore {
  /// Waits until the store does no work and has notified all observers and screens.
  ///
  /// This includes the work for which no command waits: the confirmation of a new token, the
  /// revocation of an unused one, and the cleanup of a session that has ended. It waits for calls
  /// that a double holds and for running leases of an ended session, and returns when the task is
  /// cancelled.
  public func untilQuiet() async {
    await quiet()
  }
}
