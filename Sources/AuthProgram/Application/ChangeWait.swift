import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

extension Workspace {
  /// Waits until one of the sources says to look again.
  ///
  /// - Parameters:
  ///   - sources: What is listened to.
  ///   - limit: The longest wait; nil waits for as long as nothing changes.
  ///   - output: Where changes are printed; the wait is over for good when nobody reads it any
  ///     more.
  /// - Throws: ``CommandError`` when a source cannot hear any more.
  func wait(
    for sources: [any ChangeSource], atMost limit: Duration?, writingTo output: OutputStream
  ) throws(CommandError) {
    let limit = (sources.map(\.longestWait) + [limit]).compactMap(\.self).min()
    let deadline = limit.map { MonotonicDeadline(after: $0) }
    var polled = [pollfd(fd: output.descriptor, events: 0, revents: 0)]
    for source in sources { polled.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      let count = poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
      if count == 0 { return }
      if count < 0 {
        guard errno == EINTR else {
          throw CommandError(BackendError.unavailable(.watchFailed, "changes", ErrorNumber.current.explanation))
        }
        continue
      }
      if polled[0].revents != 0 {
        if Int32(polled[0].revents) & POLLERR != 0, !output.isTerminal { output.dieOfPipeSignal() }
        // Closed, or a terminal that is gone: the next line finds that out.
        polled[0].fd = -1
      }
      var isAny = false
      for (source, event) in zip(sources, polled.dropFirst()) where event.revents != 0 {
        isAny = try valid { () throws(BackendError) in try source.drain() } || isAny
      }
      if isAny { return }
    }
  }
}
