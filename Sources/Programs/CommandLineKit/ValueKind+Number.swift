import TextFormat

extension ValueKind where Value == Int {
  /// A whole number in ASCII digits, without a sign, inside `range`.
  package static func wholeNumber(_ noun: String, in range: ClosedRange<Int>) -> ValueKind {
    ValueKind(noun, accepted: "a whole number from \(range.lowerBound) to \(range.upperBound)") { word in
      guard let number = Digits.number(word.bytes, maximumDigits: 18) else { return nil }
      return range.contains(Int(number)) ? Int(number) : nil
    }
  }
}

extension ValueKind where Value == Int64 {
  /// A serial number: ASCII digits, greater than zero.
  package static func serialNumber(_ noun: String, example: Int64 = 42) -> ValueKind {
    ValueKind(noun, accepted: "a whole number greater than zero, such as \(example)") { word in
      Digits.number(word.bytes, maximumDigits: 18).flatMap { $0 > 0 ? $0 : nil }
    }
  }
}

extension ValueKind where Value == Duration {
  /// A whole number of seconds, minutes, hours, days of 24 hours or weeks, greater than zero:
  /// `90s`, `15m`, `8h`, `1d`, `1w`.
  package static func duration(_ noun: String = "a duration") -> ValueKind {
    ValueKind(
      noun, accepted: "a whole number greater than zero with its unit, such as 90s, 15m, 8h, 1d or 1w", convert: seconds
    )
  }

  private static func seconds(_ word: Word) -> Duration? {
    let units: [Unicode.Scalar: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
    guard let unit = word.bytes.last.flatMap({ units[Unicode.Scalar($0)] }),
      let count = Digits.number(word.bytes.dropLast(), maximumDigits: 9), count > 0
    else { return nil }
    return .seconds(count * unit)
  }
}

/// Numbers in ASCII digits.
package enum Digits {
  /// The number, or nil if there are no digits, too many digits, or other characters.
  ///
  /// `maximumDigits` is at most 18, which Int64 holds.
  package static func number(_ bytes: some Collection<UInt8>, maximumDigits: Int) -> Int64? {
    guard (1...maximumDigits).contains(bytes.count), bytes.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int64(String(decoding: bytes, as: UTF8.self))
  }
}
