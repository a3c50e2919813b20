import AuthBackend
import AuthDevice
import Services
import Testing
import TextFormat

@Suite struct DigestTests {
  enum Algorithm: String, CaseIterable {
    case sha1, sha256

    func digest(_ bytes: [UInt8]) -> String {
      switch self {
      case .sha1: Hex.text(SHA1.hash(bytes))
      case .sha256: Hex.text(SHA256.hash(bytes))
      }
    }

    func digest(_ count: Int, times letter: Character) -> String {
      digest(Array(String(repeating: letter, count: count).utf8))
    }
  }

  @Test("FIPS 180-4: the published vectors") func vectors() {
    let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    for (algorithm, text, digest) in [
      (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha1, long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
      (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (.sha256, long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ] as [(Algorithm, String, String)] { #expect(algorithm.digest(Array(text.utf8)) == digest) }
    #expect(Algorithm.sha1.digest(1_000_000, times: "a") == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    #expect(
      Algorithm.sha256.digest(1_000_000, times: "a")
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("every length around a block agrees with the program of the system", arguments: Algorithm.allCases)
  func againstTheSystem(_ algorithm: Algorithm) {
    let lengths = [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129, 1000]
    let list = lengths.map(String.init).joined(separator: " ")
    let sums = Workspace().run(
      "for n in \(list); do head -c $n /dev/zero | tr '\\0' q | \(algorithm.rawValue)sum | cut -d ' ' -f 1; done")
    #expect(sums.split(separator: "\n").map(String.init) == lengths.map { algorithm.digest($0, times: "q") })
  }

  @Test("hexadecimal text reads back, and nothing else does") func hex() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.bytes(Array(Hex.text(bytes).utf8)) == bytes)
    for text in ["a", "0g", "AB", "0x", " 0"] { #expect(Hex.bytes(Array(text.utf8)) == nil) }
  }
}
