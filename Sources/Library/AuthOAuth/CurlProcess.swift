#if !canImport(Darwin)
  import AuthCore
  import ConcurrencyKit
  import CProcess
  import Glibc

  /// A running curl.
  final class CurlProcess: Sendable {
    private let id: pid_t
    /// Our end of its standard input and its output, or with a recorder its errors; -1 when it is
    /// closed.
    private let link: Locked<Int32>
    private let recorder: ExchangeRecorder?
    private let limit: Int

    /// Starts curl and gives it its options.
    ///
    /// - Parameters:
    ///   - program: curl.
    ///   - input: Its options.
    ///   - mustFinish: Whether the request is finished after ^C at a terminal, such as a logout
    ///     or a renewal; others end with this process.
    ///   - recorder: Where to record the answer.
    ///   - longest: The longest answer, without headers, in bytes.
    /// - Throws: `notStarted` or `noResources`.
    init(
      _ program: String, input: [UInt8], mustFinish: Bool, recorder: ExchangeRecorder?, longest: Int
    ) throws(CurlFailure) {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw .noResources
      }
      defer { close(ends[1]) }
      recorder?.clear()
      // The signals that end a whole service or terminal must not lose the answer to a renewal.
      let started = ChildProgram.start(
        [program, "-q", "--config", "-"], endsWithUs: !mustFinish, finishes: recorder != nil
      ) { actions in
        // Without `-q`, which must be the first, curl would read the options of .curlrc.
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, recorder?.answer ?? ends[1], STDOUT_FILENO)
        if let recorder {
          // Its end is seen here, not at the standard input, which it may close.
          posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
          posix_spawn_file_actions_adddup2(&actions, recorder.lock, 3)
        } else {
          posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
      }
      guard let started else {
        let isFull = [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(errno)
        close(ends[0])
        throw isFull ? .noResources : .notStarted
      }
      id = started
      link = Locked(ends[0])
      self.recorder = recorder
      // 64 KiB of headers, and the status. curl before 8.4 does not limit a body of unknown length.
      limit = longest + 1 << 16
      // It fails only if curl has ended, which then has no answer.
      if recorder != nil { _ = cprocess_limit_file_size(id, UInt(limit)) }
      var rest = input[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(ends[0], $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0, errno == EINTR { continue }
        // It has ended, and so has no status.
        if count <= 0 { break }
        rest = rest.dropFirst(count)
      }
      shutdown(ends[0], Int32(SHUT_WR))
    }

    /// Abandons the request, unless its answer is recorded.
    func cancel() {
      guard recorder == nil else { return }
      // That ends the output, and `output(until:)` then kills curl.
      link.withLock { if $0 >= 0 { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    /// Waits for the end of the program and returns what it wrote; to be called once.
    ///
    /// At the deadline, a recorded request continues: it still has the lock, and a later process
    /// reads its answer.
    func output(until deadline: ContinuousClock.Instant) -> Result<[UInt8], CurlFailure> {
      let descriptor = link.withLock(\.self)
      let streamed = read(descriptor, until: deadline)
      link.withLock { $0 = -1 }
      close(descriptor)
      if recorder != nil, streamed == .failure(.underWay) {
        // Otherwise it would stay a zombie until this program ends.
        let id = id
        _ = startThread(blockingSignals: true) { waitpid(id, nil, 0) }
        return streamed
      }
      // Nothing happens to one that has ended: its id is not free before the wait.
      kill(id, SIGKILL)
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      guard let answer = recorder?.answer else { return streamed }
      // Before it is read: after a power cut the next process finds the new token here. If that
      // fails, the answer is saved all the same.
      fdatasync(answer)
      return streamed.flatMap { _ in
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(answer, &bytes, limit, 0)
        if count < 0 { return .failure(.interrupted) }
        // The limit of the file's size has ended curl.
        return count == limit ? .failure(.tooLarge) : .success(Array(bytes.prefix(count)))
      }
    }

    /// Reads until the program ends.
    private func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Result<[UInt8], CurlFailure> {
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let left = deadline - .now
        guard left > .zero else { return .failure(recorder == nil ? .failed(28) : .underWay) }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) > 0 else { continue }
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return .success(output) }
        output += buffer[..<count]
        if output.count > limit { return .failure(.tooLarge) }
      }
    }
  }

  extension ExchangeRecorder {
    /// Removes an earlier answer, such as one that refused the way in which the client
    /// authenticated; the room for the next one stays reserved.
    fileprivate func clear() {
      let written = lseek(answer, 0, SEEK_CUR)
      guard written > 0 else { return }
      let zeros = [UInt8](repeating: 0, count: written)
      pwrite(answer, zeros, zeros.count, 0)
      lseek(answer, 0, SEEK_SET)
    }
  }
#endif
