/// Says when to read again because something may have changed.
///
/// It does not say what changed. Call ``listen()``, read, and then wait until ``descriptor`` is
/// readable. A change during the read makes it readable at once, so no change is missed.
public protocol ChangeSource: AnyObject {
  /// Begins to listen, or begins again after a loss; while it listens, this does nothing.
  ///
  /// - Returns: False while there is nothing to listen to yet.
  /// - Throws: ``BackendError`` when it cannot listen.
  func listen() throws(BackendError) -> Bool

  /// What to poll for reading; -1 for nothing, which `poll` ignores.
  var descriptor: Int32 { get }

  /// The longest time to wait before the next read; nil when only a change asks for one.
  var longestWait: Duration? { get }

  /// Reads what the descriptor has.
  ///
  /// - Returns: Whether to read again.
  /// - Throws: ``BackendError`` when it cannot listen any more.
  func drain() throws(BackendError) -> Bool
}
