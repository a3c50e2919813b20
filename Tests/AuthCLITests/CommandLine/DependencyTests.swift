import Testing

@Suite("What the rooms know of each other")
struct DependencyTests {
  @Test(
    "CommandLineKit imports the C library and the room for text only, and outside of Terminal/ it mentions nothing of authentication"
  )
  func arrows() throws {
    let terminal = try TextFile.list("Sources/CommandLineKit/Terminal", suffix: ".swift")
    let generic = try TextFile.list("Sources/CommandLineKit", suffix: ".swift").filter { !terminal.contains($0) }
    #expect(generic.count > 10 && terminal.count > 5)
    for path in generic + terminal {
      for line in try TextFile.read(path).split(separator: "\n") where line.contains("import ") && !line.hasPrefix("//")
      {
        let isAllowed = line.contains(/^(package )?import (Glibc|Synchronization|TextFormat)$/)
        #expect(isAllowed, "\(path): \(line)")
      }
    }
    let foreign = [
      "auth", "login", "logged", "logout", "session", "password", "credential", "account", "payment", "AuthTool",
    ]
    for path in generic {
      let text = try TextFile.read(path).lowercased()
      for word in foreign { #expect(!text.contains(word.lowercased()), "\(path) mentions \(word)") }
    }
  }
}
