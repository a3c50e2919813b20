package import AuthAccounts
import TextFormat

/// Where a service is: its socket on this machine, or a host that ssh reaches.
package enum ServiceAddress: Hashable, Sendable {
  /// The absolute path of a socket.
  case unix(String)
  /// Hosts to try in order, and the path of the socket there; nil for the usual one.
  case ssh([Host], socket: String?)

  /// A machine as ssh names it.
  package struct Host: Hashable, Sendable {
    /// With the user before it, if there is one.
    let destination: String
    let port: UInt16?

    /// The host in words.
    var place: String { destination + (port.map { " port \($0)" } ?? "") }
  }

  /// Reads `unix:PATH` or `ssh://[user@]host[:port][,…][/socket]`.
  ///
  /// - Throws: ``AuthAccounts/BackendError`` of kind `invalid`.
  package init(_ text: String) throws(BackendError) {
    if text.unicodeScalars.contains(where: { $0.isUnprintable || $0 == "\u{FFFD}" }) {
      throw Self.invalid("it has characters that cannot be shown")
    }
    if text.hasPrefix("unix:") {
      self = .unix(try Self.socket(text.dropFirst("unix:".count)))
      return
    }
    guard text.hasPrefix("ssh://") else {
      // The address is not among the values, because it may contain a password.
      throw Self.isDatabase(text)
        ? .invalid(.addressOfDatabase) : Self.invalid("it begins with neither unix: nor ssh://")
    }
    let rest = text.dropFirst("ssh://".count)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    // Otherwise the start of a password with a slash would be read as a port.
    if rest[end...].contains("@") { throw Self.hasPassword }
    var hosts: [Host] = []
    for part in rest[..<end].split(separator: ",", omittingEmptySubsequences: false) {
      hosts.append(try Self.host(part))
    }
    self = .ssh(hosts, socket: end == rest.endIndex ? nil : try Self.socket(rest[end...]))
  }

  /// Linux has room for this in the address of a socket.
  private static let longestPath = 107

  private static func socket(_ path: Substring) throws(BackendError) -> String {
    guard path.hasPrefix("/"), !path.hasSuffix("/") else {
      throw invalid("\(TextEscaping.quote(path.utf8)) is not the absolute path of a socket")
    }
    guard !path.contains(",/") else { throw invalid("only ssh:// takes several places, between commas") }
    guard path.utf8.count <= longestPath else { throw invalid("the path has more than \(longestPath) bytes") }
    return String(path)
  }

  private static func host(_ text: Substring) throws(BackendError) -> Host {
    if text.split(separator: "@").dropLast().joined().contains(":") { throw hasPassword }
    var (name, port) = (text, UInt16?.none)
    // The colons of an address of version 6 stand in brackets.
    let lastBracket = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text.lastIndex(of: ":"), colon >= lastBracket {
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
        throw invalid("'\(text[..<colon])' has no valid port")
      }
      (name, port) = (text[..<colon], number)
    }
    let parts = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    for part in parts {
      // ssh would take a name with a hyphen before it for an option.
      let isName =
        !part.isEmpty && !part.hasPrefix("-")
        && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 >= 0x80 || "._-+:%[]\\".utf8.contains($0) }
      guard isName else { throw invalid("\(TextEscaping.quote(part.utf8)) is not the name of a user or a host") }
    }
    return Host(destination: name.filter { $0 != "[" && $0 != "]" }, port: port)
  }

  /// Whether libpq would take a text for the address of a PostgreSQL database.
  private static func isDatabase(_ text: String) -> Bool {
    text.hasPrefix("postgresql:") || text.hasPrefix("postgres:") || text.contains("=")
  }

  private static let hasPassword = invalid("a password has no place in it")

  private static func invalid(_ reason: String) -> BackendError { .invalid(.addressInvalid, reason) }
}

extension ServiceAddress {
  /// The address in words.
  package var place: String {
    switch self {
    case .unix(let path): path
    case .ssh(let hosts, _): hosts.map(\.place).joined(separator: ", ")
    }
  }
}
