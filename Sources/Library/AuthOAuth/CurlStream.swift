#if !canImport(Darwin)
  import CProcess
  import Glibc

  /// A request through curl whose answer is read as it arrives, such as a stream of events.
  ///
  /// curl is killed when the thread that started it ends, so that a killed process leaves no
  /// request with a token behind.
  package struct CurlStream: Sendable {
    private let id: pid_t
    /// Where the answer is read: the status, the headers and the body.
    package let output: Int32

    /// Starts curl with a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The address, `https` or on this machine.
    ///   - headers: The headers, by their names.
    ///   - body: The body, of any length; nil for none.
    ///   - timeLimit: The longest time for the request in seconds; nil for none.
    ///   - options: Further options of curl for an `https` address.
    /// - Throws: `unsendable`, `notStarted` or `noResources`.
    package init(
      _ method: String, _ url: String, headers: [String: String], body: [UInt8]?, timeLimit: Int?,
      options: [String: String]
    ) throws(CurlFailure) {
      var lines = ["no-buffer", "connect-timeout = 10"]
      if let timeLimit { lines.append("max-time = \(timeLimit)") }
      // Not in the options, which are limited to 100 KB. A file in memory is complete, so nobody
      // has to write while curl reads.
      if body != nil { lines.append("data-binary = \"@/dev/fd/3\"") }
      let input = try CurlTransport.config(method, url, headers, lines, options: options)
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw .noResources
      }
      defer { close(ends[1]) }
      let file = body.map { cprocess_memory_file($0, UInt($0.count)) }
      defer { if let file, file >= 0 { close(file) } }
      // The options fit into the socket, so that this does not wait for curl.
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      guard file ?? 0 >= 0, send(ends[0], input, input.count, flags) == input.count else {
        close(ends[0])
        throw file ?? 0 >= 0 ? .unsendable : .noResources
      }
      shutdown(ends[0], Int32(SHUT_WR))
      // Without `-q`, which must be the first, curl would read the options of .curlrc.
      let words = ["curl", "-q", "--config", "-"].map { $0.withCString { strdup($0) } } + [nil]
      defer { for word in words { free(word) } }
      id = cprocess_start_bound(words, ends[1], file ?? -1)
      output = ends[0]
      guard id > 0 else {
        close(ends[0])
        throw .noResources
      }
    }

    /// Waits for the end of curl, whose answer has been read, and returns why it failed; nil if it
    /// did not.
    package func end() -> CurlFailure? {
      close(output)
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      if status & 0x7F != 0 { return .interrupted }
      switch (status >> 8) & 0xFF {
      case 0: return nil
      case 127: return .notStarted
      case let code: return .failed(code)
      }
    }

    /// Kills curl, whose answer is no longer wanted.
    package func abandon() {
      // Nothing happens to one that has ended: its id is not free before the wait.
      kill(id, SIGKILL)
      _ = end()
    }
  }
#endif
