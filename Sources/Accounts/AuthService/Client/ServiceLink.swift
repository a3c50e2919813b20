import AuthAccounts
package import Glibc
import TextFormat

/// The end of a wait, with the timeout that it began with.
package struct ResponseDeadline {
  let time: Duration
  let end: ContinuousClock.Instant

  package init(in time: Duration) {
    self.time = time
    end = .now + time
  }
}

/// A connected socket that sends and receives frames.
// Safe: it is lent to one request at a time; a subscription or a test uses its own alone.
package final class ServiceLink: @unchecked Sendable {
  let descriptor: Int32
  /// The process of ssh; nil for a socket of this machine.
  private let process: pid_t?
  private var buffer = FrameBuffer()

  /// Takes over a descriptor.
  package init(_ descriptor: Int32, process: pid_t? = nil) {
    self.descriptor = descriptor
    self.process = process
  }

  deinit {
    close(descriptor)
    // ssh ends when its input does; it stays a zombie until this process ends, or is collected
    // here.
    if let process { waitpid(process, nil, WNOHANG) }
  }

  /// Whether the other side closed, or sent something without a request.
  var isOver: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) != 0
  }

  /// Sends a frame.
  package func send(_ frame: [UInt8], until deadline: ResponseDeadline) throws(ServiceFault) {
    var sent = 0
    while sent < frame.count {
      let count = frame[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN {
        try wait(for: POLLOUT, until: deadline)
      } else if errno != EINTR {
        throw .lost("the connection ended (\(ErrorNumber.current.explanation))")
      }
    }
  }

  /// Receives the next frame, without its length.
  package func payload(until deadline: ResponseDeadline) throws(ServiceFault) -> [UInt8] {
    while true {
      if let payload = try next() { return payload }
      if try !fill() { try wait(for: POLLIN, until: deadline) }
    }
  }

  /// Receives the next frame of a service.
  func receive(for form: TokenForm, until deadline: ResponseDeadline) throws(ServiceFault) -> ServerFrame {
    let payload = try payload(until: deadline)
    return try ServiceFault.reading { () throws(WireFault) in try ServerFrame(payload: payload, for: form) }
  }

  /// Receives and discards all frames that have arrived.
  ///
  /// - Returns: Whether there was one.
  func drain() throws(ServiceFault) -> Bool {
    while try fill() {}
    var isAny = false
    while try next() != nil { isAny = true }
    return isAny
  }

  private func next() throws(ServiceFault) -> [UInt8]? {
    try ServiceFault.reading { () throws(WireFault) in try buffer.next() }
  }

  /// Reads the bytes that have arrived; false if there are none.
  private func fill() throws(ServiceFault) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      buffer.append(bytes[..<count])
      return true
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    if buffer.isInsideFrame { throw .lost("the connection ended inside an answer") }
    throw .lost(count == 0 ? "the connection ended" : "the connection ended (\(ErrorNumber.current.explanation))")
  }

  private func wait(for event: Int32, until deadline: ResponseDeadline) throws(ServiceFault) {
    var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while true {
      let left = deadline.end - .now
      // Rounded up, so that the wait does not end before its time.
      let count = poll(&polled, 1, left > .zero ? Int32(clamping: left.wholeNanoseconds / 1_000_000 + 1) : 0)
      if count > 0 { return }
      if count == 0, left <= .zero { throw .silent(deadline.time) }
    }
  }

  /// Ends an ssh that did not reach the service.
  ///
  /// It would go on trying, hold the output of this process open, and complain there later. Another
  /// ssh ends by itself: it may be the one through which others of this user are connected.
  func giveUp() {
    if let process { kill(process, SIGTERM) }
  }

  /// How ssh ended; nil while it runs, and for a socket of this machine.
  var exitStatus: Int32? {
    guard let process else { return nil }
    var status: Int32 = 0
    // It closed its output, so it ends in a moment.
    for _ in 0..<200 {
      if waitpid(process, &status, WNOHANG) == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : -1 }
      poll(nil, 0, 10)
    }
    return nil
  }
}
