package import AuthAccounts
package import AuthCore
import TextFormat

/// The codes of an authenticator app: six digits that change every 30 seconds.
///
/// They are made from the wall clock, which can be set.
/// Source: RFC 6238 (time steps) and RFC 4226 (codes).
package struct TOTP: Sendable {
  /// How many digits a code has.
  package static let digits = 6
  /// How long a code is shown, in seconds.
  package static let period: Int64 = 30
  /// How many bytes a secret has: as many as SHA-1 gives, as RFC 4226 recommends.
  package static let secretLength = 20
  /// How many steps the clock of the device may be off.
  package static let drift: Int64 = 1

  let secret: [UInt8]

  /// The number of the time step at a moment.
  package static func step(at time: WallTime) -> Int64 {
    // Rounded down before 1970, too.
    Int64((Double(time.seconds) / Double(period)).rounded(.down))
  }

  /// The code of a time step.
  package func code(at step: Int64) -> [UInt8] {
    let hash = SHA1.authenticate(step.bigEndianBytes, key: secret)
    // "Dynamic truncation", RFC 4226, section 5.3.
    let start = Int(hash[19] & 15)
    let number = hash[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = Array(String(number % 1_000_000).utf8)
    return Array(repeating: UInt8(ascii: "0"), count: Self.digits - text.count) + text
  }

  /// The first step after `used` at which this code is right, within the drift.
  ///
  /// Every step is tried, so that the time does not tell which one it was.
  ///
  /// - Parameters:
  ///   - typed: The code as typed; blanks are ignored.
  ///   - time: The present moment.
  ///   - used: The last step that opened something. It and those before it open nothing more.
  /// - Returns: The step, or nil when the code is wrong, used, too old or too new.
  package func step(of typed: [UInt8], at time: WallTime, after used: Int64) -> Int64? {
    let typed = typed.filter { $0 != UInt8(ascii: " ") }
    let now = Self.step(at: time)
    var found: Int64?
    for step in (now - Self.drift...now + Self.drift).reversed() {
      if Secrets.areEqual(typed, code(at: step)), step > used { found = step }
    }
    return found
  }
}

extension TwoStepSecret {
  /// The code of a moment, for tests and for those who keep the secret.
  package func code(at time: WallTime) -> Secret {
    Secret(bytes: TOTP(secret: bytes).code(at: TOTP.step(at: time)))
  }
}
