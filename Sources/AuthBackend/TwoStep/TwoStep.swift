public import AuthCore
import AuthDevice
import TextFormat

/// Whether a user is asked for a code after the password.
public struct TwoStepState: Hashable, Sendable {
  /// Since when a code is asked for, by the wall clock; nil while it is not.
  public let since: WallTime?
  /// Whether a secret was made and waits for its first code.
  public let isPending: Bool
  /// How many recovery codes are left, each of which takes the place of a code once.
  public let recoveryCodes: Int
  /// Whether the rules of the database require a second step of this user.
  public let isRequired: Bool

  /// Whether a code is asked for.
  public var isOn: Bool { since != nil }

  /// Creates a value, for a backend to answer with.
  public init(since: WallTime?, isPending: Bool, recoveryCodes: Int, isRequired: Bool) {
    self.since = since
    self.isPending = isPending
    self.recoveryCodes = recoveryCodes
    self.isRequired = isRequired
  }
}

/// Who must have a second step.
///
/// The words are stored and printed, so they stay when a case is renamed.
public enum TwoStepPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nobody; everybody may have one.
  case optional = "optional"
  /// Administrators.
  case required = "required"
}

/// The secret that an authenticator app makes codes from.
///
/// It never prints itself. A backend gives it once, and nothing gives it again.
public struct TwoStepSecret: Hashable, Sendable, Redacted {
  package let bytes: [UInt8]
  package let username: String

  /// Creates a value, for a backend to answer with.
  ///
  /// - Parameters:
  ///   - bytes: 20 random bytes.
  ///   - username: The user whose codes they make.
  public init(bytes: [UInt8], username: String) {
    self.bytes = bytes
    self.username = username
  }

  /// Who asks for the codes, as authenticator apps show it.
  package static let issuer = "auth-cli"

  /// The secret as a person types it into an authenticator app: base 32.
  ///
  /// Source: RFC 4648, section 6.
  public var text: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var text: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The secret as a QR code holds it, on one line.
  ///
  /// Source: the key URI format of Google Authenticator, with its defaults: SHA-1, 6 digits, 30 s.
  public var uri: String {
    let issuer = Self.issuer.percentEncoded
    return "otpauth://totp/\(issuer):\(username.percentEncoded)?secret=\(text)&issuer=\(issuer)"
  }

  /// The code of a moment, for tests and for those who keep the secret.
  package func code(at time: WallTime) -> Secret {
    Secret(bytes: TOTP(secret: bytes).code(at: TOTP.step(at: time)))
  }
}

extension String {
  /// The text with everything escaped that is not unreserved in a URI.
  ///
  /// Source: RFC 3986, section 2.
  package var percentEncoded: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in utf8 {
      let isUnreserved = byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
      text += isUnreserved ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// How a second step is asked for.
package enum TwoStepRules {
  /// How many answers to one challenge are checked.
  package static let tries = 3
  /// How many challenges of an account are open at most; a newer one ends the oldest.
  package static let openChallenges = 16
  /// How long a challenge takes an answer.
  package static let time: Duration = .seconds(300)
  /// How long the first use of a new password needs no code.
  package static let excuse: Duration = .seconds(60)
}
