import Testing

/// The README's terminal session says what happens.
@Suite(.timeLimit(.minutes(10))) struct ReadmeSessionTests {
  @Test("the README's terminal sessions go as they are shown")
  func session() async throws {
    let session = ReadmeSession(ReadmeSession.documents)
    #expect(!session.isEmpty, "the README shows no terminal session")
    let run = try await play(session)
    let actual = ReadmeSession.visible(in: run)
    #expect(run.reachedEnd && session.matches(actual), "it went like this:\n\(actual.joined(separator: "\n"))")
  }

  @Test(
    "a session that goes otherwise does not match",
    arguments: [
      "```console\n$ echo one\ntwo\n```\n", "```console\n$ echo one\n```\n", "```console\n$ true\none\n```\n",
      "```console\n$ echo what\nwha?\n```\n", "```console\n$ seq 5\n1\n…\n4\n```\n",
    ])
  func differs(_ markdown: String) async throws {
    let session = ReadmeSession(Markdown(markdown))
    #expect(!session.matches(ReadmeSession.visible(in: try await play(session))))
  }

  private func play(_ session: ReadmeSession) async throws -> TranscriptRun {
    try await TranscriptRun(
      session.transcript(name: "README.md"), executable: BuiltExecutable.shipped,
      directory: BuiltExecutable.repository + "/fixtures/transcripts", timeLimit: .seconds(600))
  }
}
