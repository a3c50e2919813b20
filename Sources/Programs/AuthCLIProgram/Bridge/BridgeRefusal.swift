import AuthMessages
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// The answer to an MCP client whose command line is wrong: many clients do not show what their
/// servers print, and say only that the connection was closed.
enum BridgeRefusal {
  /// How long the client has for its first request, which it sends at once.
  private static let patience = Duration.seconds(5)

  /// Answers the first request on standard input with an error, unless that is a terminal.
  static func respond(with error: CommandError) {
    guard isatty(STDIN_FILENO) == 0 else { return }
    let deadline = SuspendingClock.now + patience
    var input = LineSplitter(limit: 1 << 16)
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while SuspendingClock.now < deadline {
      var event = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, deadline.remainingMilliseconds) > 0 else { continue }
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { return }
      for line in buffer.withUnsafeBufferPointer({ input.take(UnsafeBufferPointer(rebasing: $0[..<count])) }) {
        guard case .whole(let bytes) = line, let id = BridgeMessage(bytes)?.id else { return }
        var output = Outbox()
        output.add(error.response(to: id.text, options: []))
        _ = output.write(to: STDOUT_FILENO, waiting: 500)
        return
      }
    }
  }
}

extension CommandError {
  /// The error as the answer to a JSON-RPC request.
  func response(to id: String, options: [String]) -> [UInt8] {
    let hint = hint.text(with: options)
    let body: JSON = [
      "code": .integer(Int64(status.rawValue)), "message": .string("auth-cli: \(message). \(hint)"),
      "data": ["source": "auth-cli", "code": .string(code), "hint": .string(hint)],
    ]
    return Array(#"{"jsonrpc":"2.0","id":\#(id),"error":\#(body.text)}"#.utf8)
  }
}
