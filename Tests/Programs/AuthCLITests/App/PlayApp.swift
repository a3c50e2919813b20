import Terminals
import Testing

/// Runs the program in an empty home while `story` types, and leaves it with q.
func playApp(_ story: @escaping @Sendable (PseudoTerminal) throws -> Void) async throws {
  let (end, _) = try await CommandHome(registered: false).play("app") { terminal in
    try terminal.expectScreen("Nobody is logged in.")
    try story(terminal)
    try terminal.send("q")
  }
  #expect(end == .exited(0))
}
