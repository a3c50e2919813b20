import TextFormat

/// An amount of money in minor units: 1250 is 12.50.
///
/// From 0.01 to 999999999999.99, so that no sum of balances comes near the end of 64 bits.
public struct Amount: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The amount in hundredths.
  public let minorUnits: Int64

  /// The largest amount that an order may have.
  package static let largest = Amount(unchecked: 99_999_999_999_999)
  /// The balance of a new account.
  package static let openingCredit = Amount(unchecked: 100_00)

  /// Creates an amount from hundredths.
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
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let (whole, cents) = (parts[0], parts.count == 2 ? parts[1] : "00")
    guard (1...12).contains(whole.utf8.count), (1...2).contains(cents.utf8.count),
      (whole + cents).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      whole == "0" || whole.first != "0",
      let units = Int64(whole + cents + (cents.utf8.count == 1 ? "0" : "")), units > 0
    else {
      throw .invalid(.amountInvalid, text.utf8.count > 64 ? "a text of \(text.utf8.count) bytes" : text.escaped)
    }
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
  package static func text(_ minorUnits: Int64) -> String {
    let (whole, cents) = minorUnits.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(minorUnits < 0 ? "-" : "")\(whole).\(cents < 10 ? "0" : "")\(cents)"
  }
}
