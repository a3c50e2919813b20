/// Says when to look again: something may have changed since the last look.
///
/// It never says what changed. Call ``listen()``, look, and then wait until ``descriptor`` is readable: a change during the look
/// makes it readable at once, so no change is missed.
public protocol ChangeSource: AnyObject {
  /// Begins to listen, or begins again after a loss; while it listens, this does nothing.
  ///
  /// - Returns: False while there is nothing to listen to yet.
  /// - Throws: ``BackendError`` when it cannot listen.
  func listen() throws(BackendError) -> Bool

  /// What to poll for reading; -1 for nothing, which `poll` ignores.
  var descriptor: Int32 { get }

  /// The longest time to wait before a look that nobody asked for; nil waits for as long as nothing changes.
  var longestWait: Duration? { get }

  /// Takes what is readable.
  ///
  /// - Returns: Whether to look again.
  /// - Throws: ``BackendError`` when nothing can be heard any more.
  func drain() throws(BackendError) -> Bool
}
