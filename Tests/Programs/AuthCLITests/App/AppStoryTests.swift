import Testing

/// Every file of `fixtures/stories`: what a person types into the full-screen program and what else
/// happens, and what it makes of that.
///
/// A new case needs no code; `RECORD_GOLDEN=1` writes what happened into the files instead.
@Suite("Stories of the full-screen program", .timeLimit(.minutes(10)))
struct AppStoryTests {
  @Test("each step has the outcome that the story says", arguments: AppStory.names(in: "stories"))
  func plays(_ name: String) throws {
    var story = AppStory()
    var lines: [String] = []
    for line in try AppStory.lines(of: "stories/" + name) where !line.hasPrefix("  ") {
      lines += [line] + (try story.play(line).map { "  " + $0 })
    }
    try Golden.expect(lines.joined(separator: "\n"), equals: "../stories/" + name)
  }

  @Test("there are stories and frames", arguments: ["stories", "golden/app"])
  func exist(_ folder: String) {
    #expect(!AppStory.names(in: folder).isEmpty)
  }
}
