import Glibc
import Races
import Terminals
import Testing

@testable import CommandLineKit

/// What the transcripts `prompts.t` and `prompts-signals.t` cannot show of a prompt.
@Suite("Asking for a secret on a terminal", .timeLimit(.minutes(10)))
struct PromptTests {
  @Test("a prompt that nobody answers, or only half, ends at its limit, with the echo on again")
  func late() async throws {
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    let limit = Duration.milliseconds(150)
    for typed in ["", "half"] {
      try await onOwnThread {
        let prompt = try Prompt(input: descriptor, messages: descriptor)
        try terminal.send(typed)
        #expect(throws: CommandError.timedOut(limit)) { try prompt.line("Secret: ", within: limit) }
      }
      #expect(terminal.settings == before)
    }
  }
}
