import AuthCore
import AuthDevice
import TextFormat

/// Whether a user is asked for a code after the password.
package struct TwoStepState: Hashable, Sendable {
  /// Since when a code is asked for, by the wall clock; nil while it is not.
  package let since: WallTime?
  /// Whether a secret was made and waits for its first code.
  package let isPending: Bool
  /// How many recovery codes are left, each of which takes the place of a code once.
  package let recoveryCodes: Int
  /// Whether the rules of the database require a second step of this user.
  package let isRequired: Bool

  /// Whether a code is asked for.
  package var isOn: Bool { since != nil }

  /// Creates a value, for a backend to answer with.
  package init(since: WallTime?, isPending: Bool, recoveryCodes: Int, isRequired: Bool) {
    self.since = since
    self.isPending = isPending
    self.recoveryCodes = recoveryCodes
    self.isRequired = isRequired
  }
}

/// Who must have a second step.
///
/// The raw values are stored and printed, so they never change.
package enum TwoStepPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nobody must have a second step; everybody may.
  case optional = "optional"
  /// Administrators must have a second step.
  case required = "required"
}

/// The secret that an authenticator app makes codes from.
///
/// It never prints itself. A backend returns it once; it cannot be retrieved later.
package struct TwoStepSecret: Hashable, Sendable, Redacted {
  package let bytes: [UInt8]
  package let username: String

  /// Creates a value, for a backend to answer with.
  ///
  /// - Parameters:
  ///   - bytes: 20 random bytes.
  ///   - username: The user whose codes they make.
  package init(bytes: [UInt8], username: String) {
    self.bytes = bytes
    self.username = username
  }

  /// The secret as a person types it into an authenticator app: base 32.
  ///
  /// Source: RFC 4648, section 6.
  package var text: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = bytes.flatMap { byte in (0..<8).map { (byte << $0) >> 7 } }
    let letters = stride(from: 0, to: bits.count, by: 5).map { start in
      let group = bits[start...].prefix(5)
      return alphabet[Int(group.reduce(0) { $0 << 1 | $1 } << (5 - group.count))]
    }
    return String(letters)
  }

  /// The secret in the form that a QR code holds.
  ///
  /// Source: the key URI format of Google Authenticator, with its defaults: SHA-1, 6 digits, 30 s.
  ///
  /// - Parameter issuer: The name of your app, which authenticator apps show.
  /// - Returns: The address, on one line.
  package func uri(issuer: String) -> String {
    let issuer = issuer.percentEncoded
    return "otpauth://totp/\(issuer):\(username.percentEncoded)?secret=\(text)&issuer=\(issuer)"
  }
}

extension String {
  /// The text with everything escaped that is not unreserved in a URI.
  ///
  /// Source: RFC 3986, section 2.
  package var percentEncoded: String {
    utf8.map { byte in
      let isUnreserved = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
      return isUnreserved ? String(UnicodeScalar(byte)) : "%" + Hex.text([byte]).uppercased()
    }.joined()
  }
}
