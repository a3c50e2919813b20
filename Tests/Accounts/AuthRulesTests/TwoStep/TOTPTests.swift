import AuthCore
import Testing
import TextFormat

@testable import AuthAccounts
@testable import AuthRules

@Suite("Codes of an authenticator app", .timeLimit(.minutes(10))) struct TOTPTests {
  private static let key = Array("12345678901234567890".utf8)

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("HMAC-SHA-1 hashes a key that is longer than a block, as in RFC 2202, case 6")
  func longKey() {
    let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    let digest = SHA1.authenticate(message, key: Array(repeating: 0xAA, count: 80))
    #expect(Hex.text(digest) == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
  }

  @Test("the codes are those of RFC 4226, appendix D")
  func counters() {
    let totp = TOTP(secret: Self.key)
    let codes = (0..<10).map { text(totp.code(at: $0)) }
    #expect(
      codes == [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ])
  }

  @Test(
    "the codes are the last six digits of RFC 6238, appendix B",
    arguments: [
      (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ] as [(Int64, String)])
  func times(seconds: Int64, code: String) {
    let secret = TwoStepSecret(bytes: Self.key, username: "alice")
    #expect(text(secret.code(at: WallTime(microseconds: seconds * 1_000_000)).bytes) == code)
  }

  @Test("a code is right in its step and in the one before and after, once, and in order")
  func drift() {
    let totp = TOTP(secret: Self.key)
    let time = WallTime(microseconds: 3_000_000_000)
    #expect(TOTP.step(at: time) == 100)
    for step: Int64 in 97...103 {
      let expected: Int64? = (99...101).contains(step) ? step : nil
      #expect(totp.step(of: totp.code(at: step), at: time, after: 0) == expected, "\(step)")
    }
    #expect(totp.step(of: totp.code(at: 100), at: time, after: 100) == nil)
    #expect(totp.step(of: totp.code(at: 99), at: time, after: 100) == nil)
    #expect(totp.step(of: totp.code(at: 101), at: time, after: 100) == 101)
    let code = text(totp.code(at: 100))
    #expect(totp.step(of: Array(" \(code.prefix(3)) \(code.suffix(3))".utf8), at: time, after: 0) == 100)
    for wrong in ["", "\(code)0", String(code.dropLast()), String(code.reversed() + ["x"])] {
      #expect(totp.step(of: Array(wrong.utf8), at: time, after: 0) == nil, "\(wrong)")
    }
    #expect(TOTP.step(at: WallTime(microseconds: -1)) == -1 && TOTP.step(at: WallTime(microseconds: 0)) == 0)
  }

  @Test(
    "a secret is written in base 32 of RFC 4648",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(bytes: String, text: String) {
    #expect(TwoStepSecret(bytes: Array(bytes.utf8), username: "alice").text == text)
  }

  @Test("the URI is one line, with name and issuer escaped, and nothing prints the secret")
  func uri() {
    let secret = TwoStepSecret(bytes: Self.key, username: "a b:ü?")
    #expect(
      secret.uri(issuer: "My app")
        == "otpauth://totp/My%20app:a%20b%3A%C3%BC%3F?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=My%20app")
    #expect(!"\(secret)\(String(reflecting: secret))".contains("GEZD"))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("GEZD") && !dumped.contains("49"))
  }
}
