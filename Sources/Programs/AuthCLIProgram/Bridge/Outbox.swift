import CProcess
import Glibc

/// The lines for the client, which may read them slowly: writing them never blocks.
struct Outbox {
  private(set) var bytes: [UInt8] = []
  private var written = 0

  var isEmpty: Bool { written == bytes.count }
  /// Whether so much waits that no further answers should be read.
  var isFull: Bool { bytes.count - written > 1 << 20 }

  mutating func add(_ line: [UInt8]) {
    // Also if the reader never catches up, what it has read is not kept.
    if written > bytes.count / 2 || isEmpty { (bytes, written) = (Array(bytes[written...]), 0) }
    bytes.append(contentsOf: line)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Writes as much as the reader takes, and waits no longer than so many milliseconds for it.
  ///
  /// - Returns: False if there is no reader any more.
  mutating func write(to descriptor: Int32, waiting milliseconds: Int32 = 0) -> Bool {
    while !isEmpty {
      var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&event, 1, milliseconds)
      guard ready > 0 else { return true }
      // A pipe or socket that can be written takes that much without waiting (pipe(7), "PIPE_BUF").
      // Its mode is not changed, because other programs may share it.
      let count = bytes[written...].prefix(4096).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      written += count
    }
    if bytes.count > 1 << 16 { (bytes, written) = ([], 0) }
    return true
  }
}
