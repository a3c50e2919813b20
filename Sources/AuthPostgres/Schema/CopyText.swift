import AuthBackend
import TextFormat

/// Lines of COPY's text format.
///
/// Source: PostgreSQL, "COPY", File Formats.
enum CopyText {
  static func line(_ values: [SQLValue]) -> [UInt8] {
    var line: [UInt8] = []
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(UInt8(ascii: "\t")) }
      switch value {
      case .integer(let number): line += String(number).utf8
      case .blob(let bytes): line += ("\\\\x" + Hex.text(bytes)).utf8
      case .null: line += "\\N".utf8
      case .text(let text): for byte in text.utf8 { append(byte, to: &line) }
      }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ byte: UInt8, to line: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\\"): line += "\\\\".utf8
    case UInt8(ascii: "\t"): line += "\\t".utf8
    case UInt8(ascii: "\n"): line += "\\n".utf8
    case UInt8(ascii: "\r"): line += "\\r".utf8
    default: line.append(byte)
    }
  }
}
