/// Lower-case hexadecimal text.
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of an even number of digits, or nil if the text contains anything else.
  package static func bytes(_ text: [UInt8]) -> [UInt8]? {
    let values = text.compactMap(value)
    guard values.count == text.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// The bytes of an even number of digits in lower or upper case, or nil for anything else.
  package static func bytes(inAnyCase text: [UInt8]) -> [UInt8]? {
    bytes(text.map { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) ? $0 | 0x20 : $0 })
  }

  package static func value(of digit: UInt8) -> UInt8? { digits.firstIndex(of: digit).map(UInt8.init) }
}
