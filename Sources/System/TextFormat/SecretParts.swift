// An address or a setting that is typed in the wrong place may contain a password, and messages are
// copied into logs and questions to others.

extension TextEscaping {
  /// A word that somebody typed, in quotation marks for a message: escaped, shortened if it is
  /// long, and with `…` in place of what may be a secret.
  package static func quote(_ word: some Collection<UInt8>) -> String {
    let (shown, longest) = (hidingSecrets(in: Array(word)[...], isTyped: true), 64)
    guard shown.count > longest else { return "'\(escape(shown))'" }
    // Do not cut inside a character, because its first bytes would be shown as garbage.
    var end = longest
    while end > longest - 4, shown[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
    return "'\(escape(shown[..<end]))…' (\(word.count) bytes)"
  }

  /// The word with `…` in place of the parts of an address that may be secret: what is before an
  /// `@`, the query and the fragment.
  ///
  /// In a typed word the value of a setting may be secret too: what follows an `=`. A path stays:
  /// it names a realm, a socket or a database, and without it nobody finds the mistake.
  fileprivate static func hidingSecrets(in word: ArraySlice<UInt8>, isTyped: Bool) -> [UInt8] {
    let scheme = word.indices.first { word[$0] == UInt8(ascii: ":") && word[$0...].starts(with: "://".utf8) }
    let start = scheme.map { $0 + 3 } ?? word.firstIndex { !"'\"(".utf8.contains($0) } ?? word.startIndex
    let marks = scheme != nil ? "?#=" : isTyped ? "=" : ""
    let cut = word[start...].firstIndex { marks.utf8.contains($0) }
    let at = word[start...].lastIndex(of: UInt8(ascii: "@"))
    // The end of a quotation in a message stays.
    let tail = word[start...].reversed().prefix { "'\").,;:".utf8.contains($0) }.reversed()
    let hidden = Array("…".utf8)
    var shown = Array(word[..<start])
    var next = start
    if let at, scheme != nil || word[start..<at].contains(UInt8(ascii: ":")) {
      shown += hidden
      // Where both are possible, the mark may belong to the password.
      if let cut, cut < at { return shown + tail }
      next = at
    }
    guard let cut else { return shown + word[next...] }
    return shown + word[next...cut] + hidden + tail
  }
}

extension String {
  /// The message with `…` in place of what may be a secret in the addresses in it.
  package var hidingSecrets: String {
    guard utf8.contains(UInt8(ascii: ":")) else { return self }
    let words = utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    return words.map { word in
      word.contains(UInt8(ascii: ":"))
        ? String(decoding: TextEscaping.hidingSecrets(in: Array(word)[...], isTyped: false), as: UTF8.self)
        : String(Substring(word))
    }.joined(separator: " ")
  }
}
