import CommandLineKit
import Glibc

/// Waits until a file may have changed, told by the kernel (inotify): no polling.
///
/// What changes between two waits is kept by the kernel and ends the second at once, so nothing is missed by whoever looks
/// before every wait.
final class ChangeSignal {
  private let descriptor: Int32
  private var watches: [String: Int32] = [:]

  init() throws(Refusal) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw Self.refusal("changes cannot be watched", errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Listens to a directory from here on; to one that is listened to already this does nothing.
  ///
  /// - Returns: False when there is no such directory.
  @discardableResult
  func listen(to directory: String) throws(Refusal) -> Bool {
    if watches[directory] != nil { return true }
    let watch = inotify_add_watch(descriptor, directory, Self.changes)
    if watch < 0 {
      if errno == ENOENT { return false }
      throw Self.refusal("\(TextEscaping.escape(directory)) cannot be watched", errno)
    }
    watches[directory] = watch
    return true
  }

  /// Waits for a change of a relevant file, at most so long; nil waits for ever.
  ///
  /// - Parameters:
  ///   - limit: How long.
  ///   - output: Where changes are told; the wait is over for good when nobody reads them any more.
  ///   - isRelevant: Whether a change of the file of that name matters; it is one of mode or owner alone, or another.
  /// - Throws: ``Refusal`` when the kernel stops telling.
  func wait(
    atMost limit: Duration?, for output: OutputStream, isRelevant: (String, _ isOfAttributes: Bool) -> Bool
  ) throws(Refusal) {
    let deadline = limit.map { MonotonicDeadline(after: $0) }
    var events = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: output.descriptor, events: 0, revents: 0),
    ]
    while true {
      let count = poll(&events, nfds_t(events.count), deadline?.remainingMilliseconds ?? -1)
      if count == 0 { return }
      if count < 0 {
        guard errno == EINTR else { throw Self.refusal("changes cannot be watched", errno) }
        continue
      }
      if events[1].revents != 0 {
        if Int32(events[1].revents) & POLLERR != 0, !output.isTerminal { output.dieOfPipeSignal() }
        // Closed, or a terminal that is gone: the next line finds that out.
        events[1].fd = -1
      }
      if events[0].revents != 0, try drain(isRelevant) { return }
    }
  }

  /// Takes what the kernel has to tell.
  ///
  /// - Returns: Whether any of it is relevant. An overflow is: nobody knows what it swallowed. So is the loss of a directory.
  private func drain(_ isRelevant: (String, Bool) -> Bool) throws(Refusal) -> Bool {
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
      while offset + Self.headSize <= count {
        let (watch, mask, length) = buffer.withUnsafeBytes { bytes in
          (
            bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
            bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
            Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
          )
        }
        if mask & Self.losses != 0 { forget(watch) }
        let name = buffer[(offset + Self.headSize)..<(offset + Self.headSize + length)].prefix { $0 != 0 }
        let isOfAttributes = mask == UInt32(IN_ATTRIB)
        if name.isEmpty || isRelevant(String(decoding: name, as: UTF8.self), isOfAttributes) { isAny = true }
        offset += Self.headSize + length
      }
    }
  }

  /// The directory is gone, or has another name: what is at its path from now on is another one.
  private func forget(_ watch: Int32) {
    guard let directory = watches.first(where: { $0.value == watch })?.key else { return }
    watches[directory] = nil
    inotify_rm_watch(descriptor, watch)
  }

  /// Changes of content, presence and mode.
  ///
  /// Closing after writing is none of them: a reader of the database has it open for writing.
  private static let changes =
    UInt32(IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_ONLYDIR) | losses
  private static let losses = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)
  /// The size of `struct inotify_event` before its name.
  private static let headSize = 16

  private static func refusal(_ what: String, _ number: Int32) -> Refusal {
    Refusal(
      .cannotTell, "watch_failed", "\(what): \(SystemError.text(number))",
      hint: "Check the directory and the limit of inotify watches, then try again.")
  }
}
