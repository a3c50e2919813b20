import Testing
import TextFormat

@Suite("Clauses and sentences", .timeLimit(.minutes(10)))
struct ClauseTests {
  @Test(
    "a sentence begins with a capital and ends with a stop, and an address stays as it is",
    arguments: [
      ("nobody is logged in", "Nobody is logged in."), ("is that right?", "Is that right?"),
      ("https://id.example.com names nobody", "https://id.example.com names nobody."),
    ])
  func sentence(clause: String, sentence: String) { #expect(clause.asSentence == sentence) }
}
