import Testing

@testable import CommandLineKit

@Suite("Colour", .timeLimit(.minutes(10)))
struct StyleTests {
  private func isOn(
    terminal: Bool = true, option: Bool = false, _ variables: [String: String] = ["TERM": "xterm"]
  ) -> Bool {
    Style(isTerminal: terminal, noColorOption: option, environment: { variables[$0] }).allowsColor
  }

  @Test("only on a terminal that supports it, and if it is not disabled")
  func decision() {
    #expect(isOn())
    #expect(isOn(["TERM": "xterm", "NO_COLOR": ""]))
    #expect(!isOn(["TERM": "xterm", "NO_COLOR": "1"]))
    #expect(!isOn(["TERM": "xterm", "NO_COLOR": "0"]))
    for terminal in ["dumb", ""] { #expect(!isOn(["TERM": terminal])) }
    #expect(!isOn([:]))
    #expect(!isOn(option: true))
    #expect(!isOn(terminal: false))
  }

  @Test("plain text does not change")
  func plain() {
    #expect(Style.plain.bold("x") == "x")
    let on = Style(isTerminal: true, noColorOption: false, environment: { $0 == "TERM" ? "xterm" : nil })
    #expect(on.bold("x") == "\u{1B}[1mx\u{1B}[0m")
    #expect(on.bold("").isEmpty)
  }
}
