import AuthRules
import Services
import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct DigestTests {
  enum Algorithm: String, CaseIterable {
    case sha1, sha256

    func digest(_ bytes: [UInt8]) -> String {
      switch self {
      case .sha1: Hex.text(SHA1.hash(bytes))
      case .sha256: Hex.text(SHA256.hash(bytes))
      }
    }
  }

  @Test("every length around a block agrees with the program of the system", arguments: Algorithm.allCases)
  func againstTheSystem(_ algorithm: Algorithm) {
    let lengths = [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129, 1_000_000]
    let list = lengths.map(String.init).joined(separator: " ")
    let sums = Workspace().run(
      "for n in \(list); do head -c $n /dev/zero | tr '\\0' q | \(algorithm.rawValue)sum | cut -d ' ' -f 1; done")
    #expect(
      sums.split(separator: "\n").map(String.init)
        == lengths.map { algorithm.digest(Array(repeating: UInt8(ascii: "q"), count: $0)) })
  }

  @Test("hexadecimal text reads back, and nothing else does") func hex() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.bytes(Array(Hex.text(bytes).utf8)) == bytes)
    for text in ["a", "0g", "AB", "0x", " 0"] { #expect(Hex.bytes(Array(text.utf8)) == nil) }
  }
}
