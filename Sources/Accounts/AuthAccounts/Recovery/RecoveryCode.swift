package import AuthCore

/// A code that replaces a forgotten password, once.
///
/// It has 25 letters and digits, 125 random bits, so that a plain hash is enough to store it. It is
/// read without regard to case, hyphens and spaces, and `O`, `I` and `L` are read as the digits
/// that they look like.
/// Source: NIST SP 800-63B-4, section 3.1.2.2 (a hash without a salt from 112 bits on) and 4.2.1.1
/// (at least 64 bits); Crockford's base 32 for the letters.
package struct RecoveryCode: Hashable, Sendable, Redacted {
  /// The bytes that are hashed and compared, whichever way the code was typed.
  package let canonical: [UInt8]

  /// How many letters and digits a code has.
  package static let length = 25
  private static let groupLength = 5

  /// Reads what was typed.
  ///
  /// Any bytes are read. What is not a code opens no account; see ``isWellFormed``.
  package init(typed bytes: [UInt8]) {
    canonical = bytes.compactMap { byte in
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): nil
      case UInt8(ascii: "o"), UInt8(ascii: "O"): UInt8(ascii: "0")
      case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): UInt8(ascii: "1")
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
      case _: byte
      }
    }
  }

  /// Whether it has the form of a code, whatever it opens.
  package var isWellFormed: Bool {
    canonical.count == Self.length && canonical.allSatisfy(Array("0123456789abcdefghjkmnpqrstvwxyz".utf8).contains)
  }

  /// The code in five groups, for the person that it is made for.
  ///
  /// Do not log or keep it.
  package var text: String {
    stride(from: 0, to: canonical.count, by: Self.groupLength).map { start in
      String(decoding: canonical[start..<min(start + Self.groupLength, canonical.count)], as: UTF8.self)
    }.joined(separator: "-")
  }
}

/// A code for one account that works once and for a limited time.
package struct OneTimeCode: Hashable, Sendable {
  /// Whose account it opens.
  package let user: User
  /// The code to hand to the user.
  package let code: RecoveryCode
  /// How long it works.
  package let validFor: Duration

  /// Creates a value, for a backend to answer with.
  package init(user: User, code: RecoveryCode, validFor: Duration) {
    self.user = user
    self.code = code
    self.validFor = validFor
  }
}
