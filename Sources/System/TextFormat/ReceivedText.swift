extension String {
  /// Text from a stranger; nil if it is not UTF-8, or if a character has more than 30 combining
  /// marks, as no language needs (Unicode UAX 15, section 13).
  ///
  /// Swift sorts the marks of a character before it compares or hashes text, and the time grows
  /// with the square of their number: half a minute for 240 KB.
  package init?(received bytes: [UInt8]) {
    self.init(validating: bytes, as: UTF8.self)
    guard bytes.contains(where: { $0 >= 0x80 }) else { return }
    var marks = 0
    for scalar in unicodeScalars {
      let isMark = !scalar.isASCII && scalar.properties.canonicalCombiningClass != .notReordered
      marks = isMark ? marks + 1 : 0
      if marks > 30 { return nil }
    }
  }
}
