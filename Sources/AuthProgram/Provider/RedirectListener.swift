import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import Glibc
import TextFormat

/// A port of this machine to which the browser returns after a login (RFC 8252, section 7.3).
///
/// Any program on this machine can connect to it. Therefore it accepts only the request that
/// answers the login, refuses all others, and never blocks on a connection.
struct RedirectListener: ~Copyable {
  /// The address to which the provider sends the browser, with the port.
  ///
  /// It is not `localhost`, which may mean an IPv6 address.
  let address: String
  private let listener: Int32
  private var connections: [RedirectConnection] = []
  /// The limit of open connections, more than a browser needs; beyond it, the oldest is closed.
  private static let mostConnections = 64

  /// Listens on a port; nil for any free one.
  init(port: Int?) throws(CommandError) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    // Connections of an earlier login that are closing do not block the port.
    var isOn: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = in_port_t(port ?? 0).bigEndian
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &place) { bytes in
      guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(listener, place, length) == 0 && listen(listener, 64) == 0
        && getsockname(listener, place, &length) == 0
    }
    guard isListening else {
      let reason = ErrorNumber.current.explanation
      close(listener)
      throw CommandError(code: .redirectPortUnusable, port.map { "port \($0)" } ?? "a free port", reason)
    }
    self.listener = listener
    address = "http://127.0.0.1:\(place.sin_port.bigEndian)/"
  }

  deinit {
    close(listener)
    for connection in connections { close(connection.descriptor) }
  }

  /// The descriptors to wait for: one becomes readable when a request or a connection arrives.
  var descriptors: [Int32] { [listener] + connections.map(\.descriptor) }

  /// Answers the requests that have arrived.
  ///
  /// - Parameters:
  ///   - ready: The descriptors that can be read.
  ///   - check: Turns an address that answers the login into credentials, and refuses others.
  /// - Returns: What `check` returned; nil if nothing answered the login.
  /// - Throws: What `check` throws, unless the address belongs to another login.
  mutating func answer(
    _ ready: [Int32], _ check: (String) throws(OAuthError) -> Credentials
  ) throws(CommandError) -> Credentials? {
    if ready.contains(listener) { try accept() }
    for index in connections.indices.reversed() where ready.contains(connections[index].descriptor) {
      guard let path = connections[index].read() else { continue }
      let connection = connections.remove(at: index)
      defer { close(connection.descriptor) }
      do throws(OAuthError) {
        let credentials = try check(address + path.dropFirst())
        connection.answer("200 OK", "You can close this tab. The login continues in the terminal.")
        return credentials
      } catch {
        guard error == .rejected(.foreignResponse) else {
          connection.answer("200 OK", "The login failed. The terminal says why. You can close this tab.")
          throw CommandError(error)
        }
        connection.answer("404 Not Found", "This address does not belong to a login.")
      }
    }
    return nil
  }

  private mutating func accept() throws(CommandError) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor < 0, case let error = ErrorNumber.current, error.isOfDescriptors {
        // The connection stays in the queue, so every later wait would return immediately.
        guard !connections.isEmpty else {
          throw CommandError(code: .redirectPortUnusable, address, error.explanation)
        }
        close(connections.removeFirst().descriptor)
        continue
      }
      // No more connections have arrived.
      guard descriptor >= 0 else { return }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      if connections.count == Self.mostConnections { close(connections.removeFirst().descriptor) }
      connections.append(RedirectConnection(descriptor: descriptor))
    }
  }
}

/// A connection to the listener, which sends one request.
private struct RedirectConnection {
  let descriptor: Int32
  private var request: [UInt8] = []
  /// The limit of what a client can make this process store, more than a browser sends.
  private static let longestRequest = 1 << 16

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Reads what has arrived.
  ///
  /// - Returns: The path and the query of a GET request; nil while it is incomplete; an empty text
  ///   for everything else, such as a closed connection.
  mutating func read() -> String? {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    guard count > 0 else { return "" }
    request += buffer[..<count]
    // The browser might not read an answer that comes before the end of its request.
    guard !request.suffix(count + 3).ranges(of: Array("\r\n\r\n".utf8)).isEmpty else {
      return request.count > Self.longestRequest ? "" : nil
    }
    return String(decoding: request, as: UTF8.self)
      .prefixMatch(of: /GET (\/[\x21-\x7E]*) HTTP\/1\.[01]\r\n/).map { String($0.1) } ?? ""
  }

  /// Sends a page with one sentence, without waiting for a client that does not read it.
  func answer(_ status: String, _ sentence: String) {
    let page = "<!doctype html><meta charset=utf-8><title>auth-cli</title><p>\(sentence)</p>\n"
    let answer = """
      HTTP/1.1 \(status)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(page.utf8.count)\r
      Content-Security-Policy: default-src 'none'\r
      Referrer-Policy: no-referrer\r
      Cache-Control: no-store\r
      Connection: close\r
      \r
      \(page)
      """
    let bytes = Array(answer.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
