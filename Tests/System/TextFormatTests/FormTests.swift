import Testing
import TextFormat

@Suite(.timeLimit(.minutes(10))) struct FormTests {
  @Test("what is written is read again, whatever is in it")
  func roundTrip() {
    let fields = ["a": "1 + 1 = 2 & more", "é\r\n": "%41😀", "empty": "", "": "no name"]
    #expect(Form.fields(Form.text(fields)) == fields)
    #expect(Form.text(["b": "x y", "a": "~-._"]) == "a=~-._&b=x%20y")
  }

  @Test("both forms of a blank are read, and a name alone")
  func reads() {
    #expect(
      Form.fields("a=x+y&b=x%20y&&c&d=1=2&%65=%C3%a9") == ["a": "x y", "b": "x y", "c": "", "d": "1=2", "e": "é"])
  }

  @Test(
    "what is not readable, or there twice, is refused",
    arguments: [
      "a=%", "a=%1", "a=%zz", "a=%FF", "a=1&a=1", "a=%+1", "a=%4\u{11}", "a=" + String(repeating: "%CC%A3", count: 31),
    ])
  func refused(text: String) {
    #expect(Form.fields(text) == nil)
  }

  // RFC 4648, section 10, without padding; RFC 7636, appendix A.
  @Test(
    "the vectors of the standards",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.text(Array(text.utf8)) == encoded)
    #expect(
      Base64URL.text([
        116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240,
        91, 88, 5, 88, 83, 132, 141, 121,
      ]) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
  }
}
