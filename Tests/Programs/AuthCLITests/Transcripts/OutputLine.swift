import TextFormat

/// One line that a command printed, in the form in which a transcript shows it.
struct OutputLine {
  private var bytes: [UInt8]

  /// Splits as cram does: a lone carriage return ends a line as well.
  static func split(_ output: [UInt8]) -> [OutputLine] {
    var lines: [OutputLine] = []
    var current: [UInt8] = []
    for (index, byte) in output.enumerated() {
      current.append(byte)
      let next = index + 1 < output.count ? output[index + 1] : nil
      if byte == newline || byte == carriageReturn && next != newline {
        lines.append(OutputLine(bytes: current))
        current = []
      }
    }
    if !current.isEmpty { lines.append(OutputLine(bytes: current)) }
    return lines
  }

  /// Cuts the line before the first `marker`, and returns the numbers after it, or nil without a
  /// marker.
  mutating func cut(before marker: String) -> [Int]? {
    guard let start = bytes.firstRange(of: Array(marker.utf8)) else { return nil }
    defer { bytes = Array(bytes[..<start.lowerBound]) }
    let numbers = String(decoding: bytes[start.upperBound...], as: UTF8.self)
    return numbers.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
  }

  /// Without its line ending, with ` (no-eol)` when it had none, with escapes and ` (esc)` when it
  /// has bytes that do not print.
  var visible: String? {
    guard let last = bytes.last else { return nil }
    let (text, end) = last == Self.newline ? (bytes.dropLast(), "") : (bytes[...], " (no-eol)")
    let isPlain = text.allSatisfy { (0x20...0x7e).contains($0) }
    return isPlain ? String(decoding: text, as: UTF8.self) + end : text.map(Self.escape).joined() + end + " (esc)"
  }

  /// How a line with this text is shown.
  static func visible(_ text: String) -> String? { OutputLine(bytes: Array(text.utf8) + [newline]).visible }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\\"): #"\\"#
    case UInt8(ascii: "\t"): #"\t"#
    case carriageReturn: #"\r"#
    case 0x20...0x7e: String(UnicodeScalar(byte))
    default: #"\x"# + Hex.text([byte])
    }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}
