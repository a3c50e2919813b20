import Testing

/// Every file of `fixtures/stories`: what a person types into the full-screen program and what else
/// happens, and what it makes of that.
///
/// A new case needs no code; `RECORD_GOLDEN=1` writes what happened into the files instead.
@Suite("Stories of the full-screen program")
struct AppStoryTests {
  static let names = try? TextFile.list("fixtures/stories", suffix: ".txt").map { path in
    String(path.split(separator: "/").last ?? "")
  }

  @Test("each step has the outcome that the story says", arguments: names ?? [])
  func plays(_ name: String) throws {
    let text = try TextFile.read(BuiltExecutable.repository + "/fixtures/stories/" + name)
    var story = AppStory()
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("  ") {
      lines.append(String(line))
      lines += try story.play(String(line)).map { "  " + $0 }
    }
    try Golden.expect(lines.joined(separator: "\n"), equals: "../stories/" + name)
  }

  @Test("there are stories") func exist() {
    #expect(Self.names?.isEmpty == false)
  }
}
