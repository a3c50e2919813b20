/// Which addresses may get a secret, or be shown to a user.
enum SafeURL {
  /// Whether it is an `https` address, or an `http` one of this very machine.
  ///
  /// Nothing in it can end a line, hide the host behind a user name, or be read differently by
  /// another parser (RFC 3986, section 7).
  static func accepts(_ url: String) -> Bool {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !refused.contains($0) }),
      let colon = url.firstRange(of: "://")
    else { return false }
    let place = url[colon.upperBound...].prefix { $0 != "/" && $0 != "?" }
    guard let parts = place.wholeMatch(of: /(?<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]+)?/) else {
      return false
    }
    switch url[..<colon.lowerBound].lowercased() {
    case "https": return true
    case "http": return ["127.0.0.1", "[::1]", "localhost"].contains(parts.host.lowercased())
    case _: return false
    }
  }

  private static let refused: Set<UInt8> = Set(#"#\"<>^`{|}"#.utf8)
}
