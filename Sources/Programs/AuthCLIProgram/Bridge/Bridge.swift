import AuthCore
import AuthMessages
import AuthOAuth
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// Passes JSON-RPC messages on, between lines on standard input and output and a server of MCP's
/// Streamable HTTP, with an access token in each request.
///
/// All of it runs on the thread that calls ``run()``; only the token is lent on another. The
/// requests end with this thread, so it must be the main one.
final class Bridge {
  /// The longest message, in bytes.
  static let longest = 1 << 26
  /// The most requests at a time; further messages wait.
  private static let most = 64

  private let url: String
  /// The options that choose the login, for the commands of hints: a login may change them.
  private let options: () -> [String]
  private let loan: TokenLoan
  /// Whether the login has another token now than this one.
  private let hasOtherToken: (AccessToken) -> Bool
  private let report: (String) -> Void
  private var input = LineSplitter(limit: longest)
  private var output = Outbox()
  private var isInputOpen = true
  /// The messages that are not sent yet, in their order.
  private var waiting: [BridgeRequest] = []
  /// The requests to retry, each with the time to send it.
  private var later: [(at: ContinuousClock.Instant, request: BridgeRequest)] = []
  private var running: [BridgeExchange] = []
  private var session = BridgeSession()

  /// Creates a bridge; `report` shows a line to the user.
  init(
    to url: String, _ loan: TokenLoan, options: @escaping () -> [String],
    hasOtherToken: @escaping (AccessToken) -> Bool, report: @escaping (String) -> Void
  ) {
    (self.url, self.options, self.loan, self.report) = (url, options, loan, report)
    self.hasOtherToken = hasOtherToken
  }

  // MARK: - The loop

  /// Passes messages on until standard input or output is closed, or a signal ends the program.
  ///
  /// - Returns: The signal, or nil.
  func run() -> Int32? {
    signal(SIGPIPE, SIG_IGN)
    let signals = cprocess_catch_ends()
    defer { close(signals) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var ending: Int32?
    while isInputOpen, ending == nil {
      sendNext()
      wait(for: [STDIN_FILENO: isBusy ? 0 : POLLIN, signals: POLLIN]) { descriptor in
        if descriptor == signals { return ending = cprocess_caught_end(signals) }
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { return isInputOpen = false }
        for line in buffer.withUnsafeBufferPointer({ input.take(UnsafeBufferPointer(rebasing: $0[..<count])) }) {
          receive(line)
        }
      }
    }
    endSession(until: .now + .seconds(5), signals)
    return ending
  }

  /// Whether too many messages wait to read more.
  private var isBusy: Bool { waiting.reduce(0) { $0 + ($1.message?.text.count ?? 0) } > Self.longest }

  /// Waits for what happens next, and calls `other` with one of these descriptors if it is that.
  private func wait(
    for others: KeyValuePairs<Int32, Int32>, until deadline: ContinuousClock.Instant? = nil, _ other: (Int32) -> Void
  ) {
    var events = others.map { pollfd(fd: $0.key, events: Int16($0.value), revents: 0) }
    for index in events.indices where events[index].events == 0 { events[index].fd = -1 }
    events.append(pollfd(fd: loan.descriptor, events: Int16(POLLIN), revents: 0))
    events.append(pollfd(fd: output.isEmpty ? -1 : STDOUT_FILENO, events: Int16(POLLOUT), revents: 0))
    let first = events.count
    let read = output.isFull ? [] : running
    events += read.map { pollfd(fd: $0.stream.output, events: Int16(POLLIN), revents: 0) }
    let next = (later.map(\.at) + [deadline].compactMap(\.self)).min()
    let pause = next.map { Int32(clamping: Int(max(.zero, $0 - .now) / .milliseconds(1)) + 1) } ?? -1
    guard poll(&events, nfds_t(events.count), pause) >= 0 else { return }
    let due = later.filter { $0.at <= .now }
    later.removeAll { $0.at <= .now }
    waiting += due.map(\.request)
    for (exchange, event) in zip(read, events[first...]) where event.revents != 0 { receive(from: exchange) }
    if !output.isEmpty, !output.write(to: STDOUT_FILENO) { isInputOpen = false }
    for (descriptor, event) in zip(others.map(\.key), events) where event.revents != 0 { other(descriptor) }
  }

  // MARK: - The client

  private func receive(_ line: LineSplitter.Line) {
    switch line {
    case .tooLong(let id):
      let size = "\(Self.longest >> 20) MiB"
      respond(id.map { String(decoding: $0, as: UTF8.self) } ?? "null", CommandError(code: .mcpLineTooLong, size))
    case .whole(let bytes):
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
      guard let message = BridgeMessage(bytes) else { return respond("null", CommandError(code: .mcpNotMessage)) }
      if let id = message.cancelled, cancel(id) { return }
      waiting.append(BridgeRequest(kind: .message, message: message))
    }
  }

  /// Cancels a request, and returns whether the server need not be told.
  private func cancel(_ id: JSON) -> Bool {
    if let index = waiting.firstIndex(where: { $0.message?.id == id }) {
      waiting.remove(at: index)
      return true
    }
    later.removeAll { $0.request.message?.id == id }
    guard let exchange = running.first(where: { $0.request.message?.id == id }) else { return session.revision == nil }
    // Since 2026-07-28 the end of its stream cancels a request.
    guard exchange.request.message?.revision != nil else { return false }
    abandon(exchange)
    return true
  }

  /// Answers a request with an error of this program.
  private func respond(_ id: String, _ error: CommandError) {
    output.add(error.response(to: id, options: options()))
  }

  private func refuse(_ request: BridgeRequest, _ error: CommandError) {
    guard let message = request.message else { return }
    if let id = message.id { return respond(id.text, error) }
    report("\(error.message). \(error.hint.text(with: options()))")
  }

  // MARK: - Requests

  /// Sends the next messages that need not wait.
  private func sendNext() {
    while let request = waiting.first, running.count < Self.most,
      !running.contains(where: { $0.request.isBarrier }) || request.kind == .end
    {
      guard let result = loan.take() else { return loan.ask(insteadOf: request.refused) }
      switch result {
      case .success(let loan):
        waiting.removeFirst()
        do throws(CommandError) { try start(request, loan) } catch { refuse(request, error) }
      case .failure(let error):
        // All of them waited for the same token.
        let others = waiting
        waiting = []
        for request in others { refuse(request, error) }
      }
    }
  }

  private func start(_ request: BridgeRequest, _ loan: TokenLoan.Loan) throws(CommandError) {
    let token = loan.token
    // It may have been lent to one that was cancelled, and not to one that needs another.
    if token.value == request.refused?.value {
      waiting.insert(request, at: 0)
      return
    }
    guard var http = session.http(for: request) else { return }
    let named = http.headers["Mcp-Session-Id"]
    http.headers["Authorization"] = "Bearer \(token.value)"
    // An answer to a notification says only whether it arrived.
    let timeLimit = request.kind == .end ? 5 : request.isBarrier && request.message?.id == nil ? 30 : nil
    do throws(CurlFailure) {
      let stream = try CurlStream(
        http.method, url, headers: http.headers, body: http.body, timeLimit: timeLimit, options: loan.curl)
      running.append(BridgeExchange(request, token, stream, session: named, limit: Self.longest))
    } catch {
      throw CommandError(error, at: url)
    }
  }

  private func abandon(_ exchange: BridgeExchange) {
    running.removeAll { $0 === exchange }
    exchange.stream.abandon()
  }

  /// Ends all requests and the session.
  private func endSession(until deadline: ContinuousClock.Instant, _ signals: Int32) {
    for exchange in running { exchange.stream.abandon() }
    (running, later) = ([], [])
    waiting = session.id == nil ? [] : [BridgeRequest(kind: .end)]
    _ = output.write(to: STDOUT_FILENO, waiting: 500)
    var isHurried = false
    while !waiting.isEmpty || !running.isEmpty, !isHurried, .now < deadline {
      sendNext()
      wait(for: [signals: POLLIN], until: deadline) { _ in isHurried = true }
    }
    for exchange in running { exchange.stream.abandon() }
  }

  // MARK: - Answers

  private func receive(from exchange: BridgeExchange) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(exchange.stream.output, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0, exchange.problem == nil else { return finish(exchange) }
    do throws(ResponseReader.Problem) {
      let messages = try buffer.withUnsafeBufferPointer { (bytes) throws(ResponseReader.Problem) in
        try exchange.response.take(UnsafeBufferPointer(rebasing: bytes[..<count]))
      }
      for message in messages { forward(message, exchange) }
    } catch {
      exchange.problem = error
      finish(exchange)
    }
  }

  /// Passes a message of the server on to the client.
  private func forward(_ bytes: [UInt8], _ exchange: BridgeExchange) {
    guard let answer = ServerMessage(bytes) else { return }
    let message = exchange.request.message
    // The request may still be repeated.
    if exchange.response.status ?? 0 >= 400 { return exchange.refusal = answer }
    if case .tools = exchange.request.kind { return learnAgain(answer, exchange) }
    var line = answer.line
    if let id = message?.id, answer.id == id {
      exchange.isAnswered = true
      switch message?.method {
      case "tools/list" where message?.revision != nil: line = learn(from: answer)
      case "initialize": session.begin(with: answer, exchange.response.headers)
      case _: break
      }
    }
    output.add(line)
  }

  private func learn(from answer: ServerMessage) -> [UInt8] {
    let (line, rejected) = session.parameters.learn(from: answer)
    for tool in rejected { report("the tool \(tool.tool.escaped) cannot be used: \(tool.reason)") }
    return line
  }

  /// Reads a page of the tools that were listed for a call.
  private func learnAgain(_ answer: ServerMessage, _ exchange: BridgeExchange) {
    guard answer.members["result", "tools"] != nil else { return }
    exchange.isAnswered = true
    _ = session.parameters.learn(from: answer)
    var request = exchange.request
    request.attempts += 1
    // No server has so many tools.
    let page = request.attempts < 100 ? answer.members["result", "nextCursor"]?.string : nil
    request.kind = page.map { .tools(page: $0) } ?? .message
    waiting.insert(request, at: 0)
  }

  private func finish(_ exchange: BridgeExchange) {
    running.removeAll { $0 === exchange }
    if exchange.problem == nil, let last = exchange.response.end() { forward(last, exchange) }
    var failure: CurlFailure?
    if exchange.problem == nil { failure = exchange.stream.end() } else { exchange.stream.abandon() }
    if ProviderTransport.isListing {
      let end = exchange.response.status.map { "status \($0)" } ?? "no answer"
      report("\(exchange.request.shown): \(end), \(Int(exchange.age / .milliseconds(1))) ms")
    }
    switch BridgeDecision(exchange, failure, at: url, hasOtherToken: hasOtherToken(exchange.token)) {
    case .done: didFinish(exchange)
    case .again(let request, let pause):
      if let pause { later.append((.now + pause, request)) } else { waiting.insert(request, at: 0) }
    case .refusedByServer(let line): output.add(line)
    case .refused(let error):
      // The client begins another one with `initialize`.
      if error.code == ErrorCode.mcpSessionEnded.code, session.id == exchange.session { session.id = nil }
      refuse(exchange.request, error)
    }
  }

  private func didFinish(_ exchange: BridgeExchange) {
    guard exchange.request.kind == .message, let message = exchange.request.message else { return }
    // The answer to a request that the server was told to cancel need not come.
    if let id = message.cancelled, let other = running.first(where: { $0.request.message?.id == id }) { abandon(other) }
    if message.method == "notifications/initialized", let id = session.id {
      waiting.append(BridgeRequest(kind: .stream(of: id, after: nil)))
    }
  }
}
