import CommandLineKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct CSVTests {
  @Test(
    "a field is one cell in each spreadsheet, and never a formula",
    arguments: [
      ("plain", "plain"), ("a,b", "\"a,b\""), ("a;b", "\"a;b\""), ("a \"b\"", "\"a \"\"b\"\"\""), ("=1+1", "'=1+1"),
      ("-12.50", "-12.50"), ("-cmd", "'-cmd"), ("a\nb", #"a\nb"#),
    ])
  func field(text: String, cell: String) {
    #expect(CSV.line([text, nil, "end"]) == cell + ",,end\r")
  }
}
