import AuthBackend
import AuthDevice
import AuthSQLite
import Testing
import TextFormat

@Suite struct SHA256Tests {
  @Test(
    "FIPS 180-4: the published vectors",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]) func vectors(text: String, digest: String)
  {
    #expect(Hex.text(SHA256.hash(Array(text.utf8))) == digest)
  }

  @Test("FIPS 180-4: a million times a") func million() {
    #expect(
      Hex.text(SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("every length around a block agrees with sha256sum") func againstTheSystem() {
    let work = Workspace()
    let lengths = [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000]
    let command = lengths.map { "head -c \($0) /dev/zero | tr '\\0' 'q' | sha256sum" }.joined(separator: "; ")
    let expected = work.run(command).split(separator: "\n").map { String($0.prefix(64)) }
    #expect(lengths.map { Hex.text(SHA256.hash([UInt8](repeating: UInt8(ascii: "q"), count: $0))) } == expected)
  }

  @Test("hexadecimal text reads back, and nothing else does") func hex() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.bytes(Array(Hex.text(bytes).utf8)) == bytes)
    for text in ["a", "0g", "AB", "0x", " 0"] { #expect(Hex.bytes(Array(text.utf8)) == nil) }
  }
}
