import AuthCore
import AuthOAuth
import ConcurrencyKit
import Glibc
import Testing

/// The program curl, if this machine has it.
enum Curl {
  static let isHere = access("/usr/bin/curl", X_OK) == 0 || access("/usr/local/bin/curl", X_OK) == 0
  static let advice: Comment = "needs curl, which .ci/setup installs"
}

/// A server on a port of this machine that answers with any bytes.
final class RawServer: Sendable {
  /// What it does with a connection after it has read the request; the connection is then closed.
  typealias Answer = @Sendable (_ connection: Int32) -> Void

  let url: String
  private let listener: Int32
  private let log = Log()

  init(_ answer: @escaping Answer) throws {
    struct NoServer: Error {}
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(listener, place, length) == 0 && listen(listener, 16) == 0
        && getsockname(listener, place, &length) == 0
    }
    guard isBound else { throw NoServer() }
    url = "http://127.0.0.1:\(address.sin_port.byteSwapped)/token"
    self.listener = listener
    let log = log
    guard startThread({ Self.serve(listener, log, answer) }) else { throw NoServer() }
  }

  convenience init(bytes: String) throws {
    try self.init { Self.write(bytes, to: $0) }
  }

  /// Ends its thread.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The requests, with their bodies.
  var requests: [String] { log.entries.withLock(\.self) }

  /// Writes to a connection; false when the client has closed it.
  @discardableResult
  static func write(_ text: String, to connection: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits until the client closes the connection.
  static func waitForEnd(of connection: Int32) {
    var byte: UInt8 = 0
    while recv(connection, &byte, 1, 0) > 0 {}
  }

  /// The requests, which outlive the server with its thread.
  private final class Log: Sendable { let entries = Locked<[String]>([]) }

  private static func serve(_ listener: Int32, _ log: Log, _ answer: @escaping Answer) {
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      let request = request(from: connection)
      log.entries.withLock { $0.append(request) }
      _ = startThread {
        answer(connection)
        // Also ends it if a program that another test started at this moment has inherited it.
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
      }
    }
    close(listener)
  }

  private static func request(from connection: Int32) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      // A TLS handshake gets the same answer, as from a server without TLS.
      if text.utf8.first == 0x16 { return text }
      let parts = text.firstRange(of: "\r\n\r\n")
      let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
      if let parts, text[parts.upperBound...].utf8.count >= length { return text }
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return text }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
