extension String {
  /// Whether it may get a secret or be shown to a user: an `https` address, or an `http` address of
  /// this machine.
  ///
  /// It contains nothing that ends a line, hides the host behind a user name, or is read
  /// differently by another parser (RFC 3986, section 7).
  var isSafeURL: Bool {
    let address =
      #/
      ( https:// ( \[ [0-9a-f:.]+ \] | [a-z0-9.\-]+ ) | http:// ( 127\.0\.0\.1 | \[::1\] | localhost ) )
      ( : [0-9]+ )?
      ( [/?] [^"\#<>\\^`{|}]* )?
      /#
    return isVisible && wholeMatch(of: address.ignoresCase()) != nil
  }

  /// Whether it has only visible ASCII characters: nothing that ends a line or acts on a terminal.
  var isVisible: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
