import Glibc

/// Writes a child's input while it reads the child's output, so that neither side waits for the
/// other.
struct Exchange {
  private var input: ArraySlice<UInt8>
  private var destination: Int32
  private let source: Int32
  private(set) var output: [UInt8] = []

  init(input: [UInt8], to destination: Int32, from source: Int32) {
    self.input = input[...]
    self.destination = destination
    self.source = source
    _ = fcntl(destination, F_SETFL, O_NONBLOCK)
  }

  /// Runs until the end of the output, closes both descriptors, and returns whether the end came
  /// before `deadline`.
  mutating func run(until deadline: ContinuousClock.Instant) -> Bool {
    defer {
      closeDestination()
      close(source)
    }
    while true {
      if input.isEmpty { closeDestination() }
      let left = deadline - .now
      guard left > .zero else { return false }
      var descriptors = [
        pollfd(fd: source, events: Int16(POLLIN), revents: 0),
        pollfd(fd: destination, events: Int16(POLLOUT), revents: 0),
      ]
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      if poll(&descriptors, 2, Int32(clamping: milliseconds + 1)) <= 0 { continue }
      if descriptors[1].revents != 0 { writeSome() }
      if descriptors[0].revents != 0 && !readSome() { return true }
    }
  }

  private mutating func readSome() -> Bool {
    let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = read(source, buffer.baseAddress, buffer.count)
      if count > 0 { output += buffer[..<count] }
      return count
    }
    return count > 0 || count < 0 && errno == EINTR
  }

  private mutating func writeSome() {
    let count = input.withUnsafeBytes { send($0) }
    if count > 0 {
      input = input.dropFirst(count)
    } else if errno != EAGAIN && errno != EINTR {
      input = []
    }
  }

  /// Sends bytes; a child that ends before it has read everything must not kill the tests.
  private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    var blocked = sigset_t()
    var previous = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &blocked, &previous)
    let count = write(destination, bytes.baseAddress, bytes.count)
    let failure = errno
    if count < 0 && failure == EPIPE {
      var atOnce = timespec()
      sigtimedwait(&blocked, nil, &atOnce)
    }
    pthread_sigmask(SIG_SETMASK, &previous, nil)
    errno = failure
    return count
  }

  private mutating func closeDestination() {
    guard destination >= 0 else { return }
    close(destination)
    destination = -1
  }
}
