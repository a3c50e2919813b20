#if !canImport(Darwin)
  public import AuthCore
  import ConcurrencyKit
  import Glibc

  /// Sends requests with the program curl, version 7.75 or later.
  ///
  /// Pass ``send(_:)`` to ``OAuthServer``. curl reads the request, with its secrets, from its
  /// standard input. It uses the proxies and certificates of the environment, but no `.curlrc`; no
  /// proxy gets an `http` request to this machine. It follows no redirect and checks the
  /// certificate. If `SSL_CERT_DIR` is set, curl ignores `SSL_CERT_FILE`.
  ///
  /// ```swift
  /// import AuthOAuth
  ///
  /// func server() async throws -> OAuthServer {
  ///   try await OAuthServer.discover(issuer: "https://server.example", send: CurlTransport().send)
  /// }
  /// ```
  public struct CurlTransport: Sendable {
    /// The longest answer, without headers, in bytes.
    static let longest = 1 << 20
    /// The longest time for a request whose answer is recorded, in seconds: its caller gives up at
    /// the time limit, and the request continues, because a renewal spends its token.
    static let recordedSeconds: Int64 = 120
    private let program: String
    let timeLimit: Duration
    private let executor: WorkExecutor
    /// Further options of curl for `https` requests, by their names.
    private let options: [String: String]

    /// Creates a transport with options of curl that are not in the environment, such as `proxy`.
    package init(
      program: String = "curl", timeLimit: Duration = .seconds(20), executor: WorkExecutor, options: [String: String]
    ) {
      (self.program, self.timeLimit, self.executor, self.options) = (program, timeLimit, executor, options)
    }

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - program: curl, as a path or as a name that `PATH` finds.
    ///   - timeLimit: The longest time for a request, in whole seconds.
    ///   - executor: The threads on which a request waits for its answer.
    public init(
      program: String = "curl", timeLimit: Duration = .seconds(20), executor: WorkExecutor = .separateThreads
    ) {
      self.init(program: program, timeLimit: timeLimit, executor: executor, options: [:])
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// A request with an `ExchangeRecorder` continues if this process ends, the task is cancelled
    /// or the time limit has passed, for up to two minutes. A request without one is abandoned if
    /// the task is cancelled. ^C in a terminal also ends it, unless it ends or exchanges the token
    /// of a session.
    public func send(_ request: OAuthRequest) async throws(CurlFailure) -> OAuthResponse {
      let process = try CurlProcess(
        program, input: try config(request), mustFinish: request.changesSession || request.recorder != nil,
        recorder: request.recorder,
        longest: Self.longest)
      // A recorded request has no limit of curl's own before that.
      let deadline = ContinuousClock.now + timeLimit + (request.recorder == nil ? .seconds(2) : .zero)
      let output = await withTaskCancellationHandler {
        if executor == .callingThread { return process.output(until: deadline) }
        return await withCheckedContinuation { continuation in
          let wait: @Sendable () -> Void = { continuation.resume(returning: process.output(until: deadline)) }
          if !startThread(wait) { wait() }
        }
      } onCancel: {
        process.cancel()
      }
      return try CurlOutput.response(try output.get())
    }

    /// Reads the answer that an `ExchangeRecorder` recorded.
    ///
    /// - Parameter bytes: The content of its file.
    /// - Returns: The response.
    /// - Throws: `interrupted` if the file has no complete answer; otherwise the failure of the
    ///   request.
    public static func response(recorded bytes: [UInt8]) throws(CurlFailure) -> OAuthResponse {
      try CurlOutput.response(bytes)
    }

    /// The options of curl, in the format of its configuration files.
    func config(_ request: OAuthRequest) throws(CurlFailure) -> [UInt8] {
      let limit = max(1, timeLimit.components.seconds)
      let seconds = request.recorder == nil ? limit : max(limit, Self.recordedSeconds)
      var lines = [
        "max-time = \(seconds)", "connect-timeout = \(max(1, limit / 2))", "max-filesize = \(Self.longest)",
        "write-out = \"\(CurlOutput.trailer)\"",
      ]
      if request.method != "GET" {
        guard let body = String(validating: request.body, as: UTF8.self) else { throw .unsendable }
        // Not `data`, which would read a file if the body starts with @.
        lines.append("data-raw = \(try Self.quoted(body))")
      }
      return try Self.config(request.method, request.url, request.headers, lines, options: options)
    }

    /// The options of any request, with `more` of this one, and `options` for `https` requests.
    static func config(
      _ method: String, _ url: String, _ headers: [String: String], _ more: [String], options: [String: String]
    ) throws(CurlFailure) -> [UInt8] {
      guard url.isSafeURL else { throw .unsendable }
      let isHere = !url.lowercased().hasPrefix("https:")
      var lines = [
        "silent", "include", "globoff", "no-location", "path-as-is", "http1.1", "suppress-connect-headers",
        "proto = \"-all\"", "output = \"-\"", "request = \(try quoted(method))",
      ]
      if isHere {
        lines.append("noproxy = \"*\"")
      } else {
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
          lines.append("\(name) = \(try quoted(value))")
        }
      }
      // Removes the header `Expect: 100-continue`, to which a server answers twice.
      lines.append("header = \"Expect:\"")
      for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
        guard name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]+/) != nil, !value.isEmpty else { throw .unsendable }
        lines.append("header = \(try quoted("\(name): \(value)"))")
      }
      lines += more
      // At the end: curl accepts a line without its end, and the start of an address can be another
      // server. Without the last line it sends nothing, so a part of the options does no harm.
      lines.append("url = \(try quoted(url))")
      lines.append("proto = \"=\(isHere ? "http" : "https")\"")
      // curl refuses a longer line.
      guard lines.allSatisfy({ $0.utf8.count < 100_000 }) else { throw .unsendable }
      return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// A value in quotes, without control characters: a line end would start another option.
    private static func quoted(_ text: String) throws(CurlFailure) -> String {
      guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .unsendable }
      return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
  }
#endif
