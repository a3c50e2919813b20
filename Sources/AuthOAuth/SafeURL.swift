/// Which addresses may get a secret, or be shown to a user.
enum SafeURL {
  /// Whether it is an `https` address, or an `http` address of this machine.
  ///
  /// Nothing in it can end a line, hide the host behind a user name, or be read differently by
  /// another parser (RFC 3986, section 7).
  static func accepts(_ url: String) -> Bool {
    let place =
      #/
      ( https:// ( \[ [0-9a-f:.]+ \] | [a-z0-9.\-]+ ) | http:// ( 127\.0\.0\.1 | \[::1\] | localhost ) )
      ( : [0-9]+ )?
      ( [/?] [^"\#<>\\^`{|}]* )?
      /#
    return url.isVisible && url.wholeMatch(of: place.ignoresCase()) != nil
  }
}

extension String {
  /// Whether it has only visible ASCII characters: nothing that ends a line or acts on a terminal.
  var isVisible: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
