/// An address of this machine to which a browser returns after a login (RFC 8252, section 7.3),
/// such as `http://localhost:8250/callback`.
package struct LoopbackAddress: Sendable {
  /// `127.0.0.1`, `[::1]` or `localhost`, which means both.
  let host: String
  /// The port; nil means any free one.
  package let port: Int?
  /// The path; empty if the address ends before it.
  let path: String

  init(host: String, port: Int?, path: String) {
    (self.host, self.port, self.path) = (host, port, path)
  }

  /// Reads an address; nil if it is none of this machine, or a browser would change it.
  ///
  /// Browsers leave out port 80, and write some characters and segments of a path differently.
  package init?(_ text: String) {
    let form = /http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?((?:\/[A-Za-z0-9_~.\-]+)*\/?)/
    guard let parts = text.wholeMatch(of: form)?.output else { return nil }
    let (port, path) = (parts.2.flatMap { Int($0) }, String(parts.3))
    guard port.map({ $0 <= 65_535 && $0 != 80 }) ?? true,
      !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
    else { return nil }
    self.init(host: String(parts.1), port: port, path: path)
  }

  /// The start of all addresses at this port.
  func origin(port: Int) -> String { "http://\(host):\(port)" }

  /// The address with a port.
  package func text(port: Int) -> String { origin(port: port) + path }
}
