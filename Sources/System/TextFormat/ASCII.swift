extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether it is one of the ASCII letters and digits.
  package var isASCIIAlphanumeric: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9": true
    case _: false
    }
  }
}
