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

  /// Cuts the line before the first `marker`, and returns what stood after it, or nil without a
  /// marker.
  mutating func remove(after marker: [UInt8]) -> [UInt8]? {
    guard let start = bytes.firstRange(of: marker) else { return nil }
    defer { bytes = Array(bytes[..<start.lowerBound]) }
    return bytes[start.upperBound...].filter { $0 != Self.newline }
  }

  /// Without its line ending, with ` (no-eol)` when it had none, with escapes and ` (esc)` when it
  /// has bytes that do not print.
  var visible: [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var text = bytes
    if text.last == Self.newline {
      text.removeLast()
    } else {
      text += " (no-eol)".utf8
    }
    let isPlain = text.allSatisfy { (0x20...0x7e).contains($0) }
    return isPlain ? text : text.flatMap(Self.escape) + " (esc)".utf8
  }

  /// How a line with this text is shown.
  static func visible(_ text: [UInt8]) -> [UInt8]? { OutputLine(bytes: text + [newline]).visible }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "\\"): return Array(#"\\"#.utf8)
    case UInt8(ascii: "\t"): return Array(#"\t"#.utf8)
    case carriageReturn: return Array(#"\r"#.utf8)
    case 0x20...0x7e: return [byte]
    default: return Array(#"\x"#.utf8) + [hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
    }
  }

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let hexadecimal = Array("0123456789abcdef".utf8)
}
