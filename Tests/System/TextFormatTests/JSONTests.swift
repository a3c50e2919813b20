import Testing
import TextFormat

@Suite("JSON", .timeLimit(.minutes(10)))
struct JSONTests {
  @Test("a document is one line, versioned first, in the order written")
  func document() {
    let text = JSON.document([
      "user": "alice", "count": 3, "ok": true, "none": nil, "list": [1, "two", []], "object": ["b": 1, "a": 2],
    ])
    #expect(
      text
        == #"{"version":1,"user":"alice","count":3,"ok":true,"none":null,"list":[1,"two",[]],"object":{"b":1,"a":2}}"#)
  }

  @Test(
    "whole numbers keep all their digits, nil is null, and strings are escaped, even if JSON does not require it",
    arguments: [
      (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"), (.string(orNull: nil), "null"),
      (.string(orNull: "x"), #""x""#), ("\"\\/", #""\"\\/""#), ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#),
      ("\n\r\t", #""\n\r\t""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\u{1B}[31m", #""\u001b[31m""#),
      ("\u{202E}", #""\u202e""#), ("\u{E0041}", #""\udb40\udc41""#), ("é😀", #""é😀""#),
    ] as [(JSON, String)])
  func values(_ value: JSON, _ text: String) {
    #expect(value.text == text)
  }
}
