import TextFormat

/// The address of a resource that needs a token, such as an MCP server.
package struct ResourceAddress: Hashable, Sendable {
  /// The address as it was written, for requests.
  package let written: String
  /// The address in the form for comparisons: scheme and host in lower case, without the port that
  /// the scheme implies and without a slash at the end.
  package let text: String
  private let origin: String
  /// The path without a slash at its end.
  private let path: String
  private let query: String
  private static let longest = 2048

  /// Reads an address; nil if it is not safe, too long, or has segments that others remove.
  package init?(_ address: String) {
    guard address.isSafeURL, address.utf8.count <= Self.longest,
      let parts = address.wholeMatch(of: /([A-Za-z]+:\/\/[^\/?]+)([^?]*)(\?.*)?/)?.output
    else { return nil }
    let segments = parts.2.lowercased().replacing("%2e", with: ".").split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else { return nil }
    written = address
    let origin = parts.1.lowercased()
    let standard = origin.hasPrefix("https:") ? ":443" : ":80"
    self.origin = origin.hasSuffix(standard) ? String(origin.dropLast(standard.count)) : origin
    path = String(parts.2.hasSuffix("/") ? parts.2.dropLast() : parts.2)
    query = String(parts.3 ?? "")
    text = self.origin + path + query
  }

  package static func == (first: ResourceAddress, second: ResourceAddress) -> Bool { first.text == second.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The host, without its port.
  package var host: String { text.hostName }

  /// The addresses of the metadata: with the path inserted, and at the root (RFC 9728, section
  /// 3.1).
  var wellKnown: [String] {
    let root = origin + "/.well-known/oauth-protected-resource"
    return [root + path + query, root].distinct
  }

  /// Whether tokens for `other` are for this resource too: `other` is its address, or one above it
  /// at the same host.
  func isWithin(_ other: ResourceAddress) -> Bool {
    guard self != other else { return true }
    return origin == other.origin && other.query.isEmpty && (path == other.path || path.hasPrefix(other.path + "/"))
  }
}

extension [String] {
  /// The longest list of scopes, in bytes: it has to fit into an address.
  package static let longestScopes = 4096

  /// Reads a list of scopes (RFC 6749, section 3.3); nil if one cannot be a scope, or the list is
  /// longer than an address may be.
  package init?(scopes text: String) {
    let scopes = text.split(separator: " ").map(String.init)
    guard scopes.areScopes else { return nil }
    self = scopes.distinct
  }

  /// Whether all of them can be scopes, and are no more than an address may have.
  package var areScopes: Bool {
    let isLongest = reduce(0) { $0 + $1.utf8.count + 1 } <= Self.longestScopes
    return isLongest && allSatisfy { $0.isVisible && !$0.contains("\"") && !$0.contains("\\") }
  }
}
