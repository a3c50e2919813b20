/// Two descriptors for the program that sends the request of a renewal: a lock to hold, and a file
/// for the answer.
///
/// The program inherits both. If this process dies, the program still holds the lock, completes the
/// exchange and writes the answer to the file, where the next process finds it.
public struct ExchangeRecorder: Hashable, Sendable {
  /// A file that is locked with `flock` until every process has closed it.
  public let lock: Int32
  /// An empty or zeroed file, open for reading and writing at its start.
  public let answer: Int32

  /// Creates a recorder of two descriptors above 2.
  public init(lock: Int32, answer: Int32) {
    self.lock = lock
    self.answer = answer
  }
}
