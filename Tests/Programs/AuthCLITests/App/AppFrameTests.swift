import CommandLineKit
import Programs
import Terminals
import Testing

@testable import AuthFullScreen

/// Every file of `fixtures/golden/app`: a story, and the screen at its end in several sizes.
///
/// A new case needs no code: write the steps, and record the rest.
@Suite("Frames of the full-screen program", .timeLimit(.minutes(10)))
struct AppFrameTests {
  private static func steps(of name: String) throws -> [String] {
    Array(try AppStory.lines(of: "golden/app/" + name).prefix { !$0.isEmpty })
  }

  @Test("the screen in sizes from 20 by 5 to 200 by 60", arguments: AppStory.names(in: "golden/app"))
  func golden(_ name: String) throws {
    let steps = try Self.steps(of: name)
    let frames = try [(20, 5), (40, 10), (80, 24), (120, 40), (200, 60)].map { columns, rows in
      try AppStory.end(of: steps, columns: columns, rows: rows).frame.golden
    }
    try Golden.expect(([steps.joined(separator: "\n") + "\n"] + frames).joined(separator: "\n"), equals: "app/" + name)
  }

  @Test(
    "no size is too small or too large to draw, and every row fits",
    arguments: Effort.sample(AppStory.names(in: "golden/app"), 8))
  func everySize(_ name: String) throws {
    let steps = try Self.steps(of: name)
    var sizes = [(500, 3), (500, 13), (73, 100), (500, 100)]
    for columns in [1, 2, 7, 19, 20, 21, 71, 72, 73] {
      sizes += [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13].map { (columns, $0) }
    }
    let wrong = try sizes.filter { columns, rows in
      let lines = try AppStory.end(of: steps, columns: columns, rows: rows).frame.lines
      return lines.count != rows || lines.contains { DisplayWidth.columns($0) > columns }
    }
    #expect(wrong.isEmpty)
  }

  /// Below the list of events there is also the text that the row has no room for.
  @Test(
    "one step in a list of 80 columns costs at most 200 bytes, and 300 with lines below it",
    arguments: [("receipts", 200), ("accounts", 200), ("events", 300)])
  func smallStep(_ name: String, _ most: Int) throws {
    let state = try AppStory.end(of: ["start 80x24 alice \(name)", "keys ⇱"])
    for _ in 0..<12 {
      let before = state.frame
      state.press("↓")
      let bytes = FrameDiff.bytes(from: before, to: state.frame, colors: true)
      #expect(bytes.count <= most, "\(bytes.count) bytes: \(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("a password that is typed, or a code that is shown, is in no description, and the password in no frame")
  func secret() throws {
    let state = try AppStory.end(of: ["start nobody", "keys Lalice⏎hunter2-and-more"])
    #expect(!state.frame.golden.contains("hunter2"))
    var text = ""
    dump(state, to: &text)
    let effects = state.press("⏎")
    #expect(!effects.isEmpty)
    dump(effects, to: &text)
    let showing = try AppStory.end(of: [
      "start alice accounts", "keys ⏎bob⏎", "done Created bob. then a code", "screen",
    ])
    #expect(showing.frame.golden.contains("k3v9x"))
    for state in [state, showing] { dump(state, to: &text) }
    #expect(!"\(effects) \(showing) \(text)".contains("hunter2") && !text.contains("k3v9x"))
    // Of the form that is left nothing stays behind.
    let password = state.form?.fields[1]
    state.press("⎋")
    #expect(password?.isEmpty == true)
  }
}
