import TextFormat

/// An amount of money in minor units: 1250 is 12.50.
///
/// From 0.01 to 999999999999.99, so that no sum of balances comes near the end of 64 bits.
public struct Amount: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Hundredths.
  public let minorUnits: Int64

  /// The largest amount.
  public static let largest = Amount(unchecked: 99_999_999_999_999)

  /// Creates an amount.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` for zero, less than zero, and more than
  ///   ``largest``.
  public init(minorUnits: Int64) throws(BackendError) {
    guard minorUnits > 0, minorUnits <= Self.largest.minorUnits else {
      throw .invalid(.amountInvalid, "\(minorUnits) minor units")
    }
    self.init(unchecked: minorUnits)
  }

  /// Reads `12`, `12.5` or `12.50`; nothing else.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` that says the accepted form.
  public init(_ text: String) throws(BackendError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let whole = parts[0]
    let cents = parts.count == 2 ? parts[1] : nil
    let isWellFormed =
      (1...12).contains(whole.count) && whole.allSatisfy(Self.isDigit)
      && (whole.first != UInt8(ascii: "0") || whole.count == 1)
      && cents.map { (1...2).contains($0.count) && $0.allSatisfy(Self.isDigit) } ?? true
    guard isWellFormed else { throw Self.invalid(text) }
    var units = whole.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } * 100
    if let cents {
      let value = cents.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
      units += cents.count == 1 ? value * 10 : value
    }
    guard units > 0 else { throw Self.invalid(text) }
    self.init(unchecked: units)
  }

  package init(unchecked minorUnits: Int64) {
    self.minorUnits = minorUnits
  }

  /// The amount in the form that every locale reads: `12.50`.
  public var description: String { Self.text(minorUnits) }

  /// Whether `left` is less.
  public static func < (left: Amount, right: Amount) -> Bool { left.minorUnits < right.minorUnits }

  /// Minor units, which may be negative or zero, in the form `-12.50`.
  public static func text(_ minorUnits: Int64) -> String {
    let (whole, cents) = minorUnits.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(minorUnits < 0 ? "-" : "")\(whole).\(cents < 10 ? "0" : "")\(cents)"
  }

  private static func invalid(_ text: String) -> BackendError {
    .invalid(.amountInvalid, text.utf8.count > 64 ? "a text of \(text.utf8.count) bytes" : text.escaped)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}

extension Amount {
  /// What a new account gets.
  package static let openingCredit = Amount(unchecked: 100_00)
}
