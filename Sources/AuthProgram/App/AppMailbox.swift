import CommandLineKit
import Glibc
import Guards

/// What happened on other threads, for the one that draws: it waits for ``wakening`` to be
/// readable.
final class AppMailbox: Sendable {
  private let messages = Locked<[AppMessage]>([])
  /// Readable when there may be something to take.
  let wakening: Int32
  private let waking: Int32

  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .screenCannotWork(errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (wakening, waking) = (ends[0], ends[1])
  }

  deinit {
    close(wakening)
    close(waking)
  }

  func post(_ message: AppMessage) {
    messages.withLock { $0.append(message) }
    wake()
  }

  /// Has the thread that draws look around.
  func wake() {
    var byte: UInt8 = 1
    // A full pipe is readable, which is all that counts.
    _ = write(waking, &byte, 1)
  }

  /// Takes what was posted, in order.
  func take() -> [AppMessage] {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakening, &bytes, bytes.count) > 0 {}
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
