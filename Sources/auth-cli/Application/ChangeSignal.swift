import Glibc

/// Waits until a file of this run may have changed, told by the kernel (inotify): no polling.
final class ChangeSignal {
  private let descriptor: Int32
  private let isRelevant: (String) -> Bool

  /// Begins to listen; from here on no change is missed.
  ///
  /// - Parameters:
  ///   - directories: Where the files lie.
  ///   - isRelevant: Whether a file of that name matters.
  init(directories: [String], isRelevant: @escaping (String) -> Bool) throws(Refusal) {
    self.isRelevant = isRelevant
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw Self.refusal("changes cannot be watched", errno) }
    let mask = UInt32(
      IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR)
    for directory in directories {
      guard inotify_add_watch(descriptor, directory, mask) >= 0 else {
        throw Self.refusal("\(TextEscaping.escape(directory)) cannot be watched", errno)
      }
    }
  }

  deinit {
    close(descriptor)
  }

  /// Waits for a change of a relevant file, at most so long; nil waits for ever.
  func wait(atMost limit: Duration?) throws(Refusal) {
    let deadline = limit.map { MonotonicDeadline(after: $0) }
    while true {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&event, 1, deadline?.remainingMilliseconds ?? -1)
      if count == 0 { return }
      if count < 0 {
        guard errno == EINTR else { throw Self.refusal("changes cannot be watched", errno) }
        continue
      }
      if try drain() { return }
    }
  }

  /// Takes what the kernel has to tell.
  ///
  /// - Returns: Whether any of it is relevant. An overflow is: nobody knows what it swallowed.
  private func drain() throws(Refusal) -> Bool {
    var isAny = false
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EAGAIN { return isAny }
        if errno == EINTR { continue }
        throw Self.refusal("changes cannot be read", errno)
      }
      var offset = 0
      while offset + 16 <= count {
        let length = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)) }
        let name = buffer[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
        if name.isEmpty || isRelevant(String(decoding: name, as: UTF8.self)) { isAny = true }
        offset += 16 + length
      }
    }
  }

  private static func refusal(_ what: String, _ number: Int32) -> Refusal {
    Refusal(
      .cannotTell, "watch_failed", "\(what): \(SystemError.text(number))",
      hint: "Check the directory and the limit of inotify watches, then try again.")
  }
}
