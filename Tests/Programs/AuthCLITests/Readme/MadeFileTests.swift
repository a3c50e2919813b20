import AuthService
import Programs
import Testing

/// Files that make writes from other files are kept in the repository, and are up to date.
@Suite(.timeLimit(.minutes(10))) struct MadeFileTests {
  @Test(
    "the pictures are what `make pictures` draws now",
    arguments: [
      "session.svg", "machine.svg", "app-receipts.svg", "app-machine.svg",
    ])
  func pictures(_ name: String) async throws {
    let scratch = ShortFolder()
    _ = try await run("make pictures PICTURES='\(scratch.path)'")
    let drawn = try TextFile.read("\(scratch.path)/\(name)")
    let kept = try TextFile.read(BuiltExecutable.repository + "/fixtures/pictures/\(name)")
    #expect(drawn == kept, "type 'make pictures'")
  }

  @Test("the README shows every picture")
  func shown() throws {
    let readme = try TextFile.read(BuiltExecutable.repository + "/README.md")
    for path in try TextFile.list("fixtures/pictures", suffix: ".svg") {
      #expect(readme.contains("](\(path.dropFirst(BuiltExecutable.repository.count + 1)))"), "\(path)")
    }
  }

  @Test("version and date of the program are those of the newest heading in CHANGELOG.md")
  func version() async throws {
    let scratch = ShortFolder()
    _ = try await run("make version VERSION_FILE='\(scratch.path)/Version.swift'")
    let made = try TextFile.read("\(scratch.path)/Version.swift")
    let kept = try TextFile.list("Sources", suffix: "Version.swift").first { $0.hasSuffix("/Version.swift") }
    #expect(try TextFile.read(#require(kept)) == made, "type 'make version'")
    let number = try #require(Release.version.firstMatch(of: /^\d+\.\d+\.\d+/))
    #expect(made.contains("\"\(number.output)\"") || made.contains("\"\(number.output)-dev\""))
  }

  @Test(
    "the version is of a release, or says that it is not released",
    arguments: [
      ("## 1.2.3 - 2026-01-31", "\"1.2.3\"", "\"January 31, 2026\""),
      (
        "## Unreleased (1.3.0)\n\n## 1.2.3 - 2026-01-31", "\"1.3.0-dev\" + String(cString: auth_commit())",
        "\"unreleased\""
      ),
    ])
  func headings(_ changelog: String, _ version: String, _ date: String) async throws {
    let scratch = ShortFolder()
    let made = try await run(
      """
      mkdir -p '\(scratch.path)/.ci' && cp .ci/version '\(scratch.path)/.ci' && cd '\(scratch.path)'
      printf '%s\\n' '\(changelog)' >CHANGELOG.md && .ci/version Version.swift && cat Version.swift
      """)
    #expect(made.contains("version = \(version)\n") && made.contains("date = \(date)\n"), "\(made)")
  }

  @Test("no manifest of README and articles asks for a release before there is one")
  func manifests() throws {
    for manifest in ["README.md", "Sources/Library/AuthCore/AuthCore.docc/GettingStarted.md"] {
      let text = try TextFile.read("\(BuiltExecutable.repository)/\(manifest)")
      let isReleased = !Release.version.contains("-dev")
      #expect(text.contains("auth-cli\", from: \"\(Release.version)\")") == isReleased, "\(manifest)")
      #expect(isReleased || !text.contains("from: \""), "\(manifest) asks for a release")
    }
  }

  @Test(
    "text is drawn in its style, each character in its column",
    arguments: [
      ("é日e\u{301}\u{1B}[2m!", #"<text class="d" x="48" y="34">!</text>"#),
      ("a日b▆", #"<text x="40 48" y="34">b▆</text>"#),
      ("ab日c", #"<text x="32" y="34">日</text>"#),
      ("\na < b & c", #"<text x="16 24 32 40 48 56 64 72 80" y="52">a &lt; b &amp; c</text>"#),
    ])
  func draws(_ text: String, _ element: String) async throws {
    let picture = try await run(".ci/draw-text title", input: text)
    #expect(picture.split(separator: "\n").contains(Substring(element)), "\(picture)")
  }

  @Test("a control sequence that is no style is refused", arguments: ["\u{1B}[2J", "\u{1B}[5mx", "a\tb", ""])
  func refuses(_ text: String) async throws {
    let outcome = try await program(".ci/draw-text title", input: text).run()
    #expect(outcome.ending == .exited(1) && outcome.text.hasPrefix("draw-text: line "))
  }

  private func run(_ command: String, input: String = "") async throws -> String {
    let outcome = try await program(command, input: input).run()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    return outcome.text
  }

  private func program(_ command: String, input: String) -> Programs.Program {
    Programs.Program(
      "bash", ["-c", command], workingDirectory: BuiltExecutable.repository, input: Array(input.utf8),
      timeLimit: .seconds(60))
  }
}
