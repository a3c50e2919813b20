import Testing

@testable import AuthCore

@Suite struct MachineTests {
  @Test("a new state or event does not compile until every cell is decided: no switch has a default")
  func noDefaults() throws {
    let files = ["Machine", "Runtime", "Screens", "Session"].flatMap { room in
      Repository.files(below: "Sources/AuthCore/\(room)", suffix: ".swift")
    }
    #expect(files.count > 20)
    for path in files {
      let code = SourceFile(path: path, text: try Repository.text(of: path)).code
      #expect(!code.contains { $0.contains(/^\s*default\s*:|@unknown/) }, "\(path)")
    }
  }

  @Test("the store sends every event to the machine", arguments: ModelOutcome.events)
  func isSent(_ event: String) throws {
    let store = try ["Runtime", "Session"].flatMap { room in
      Repository.files(below: "Sources/AuthCore/\(room)", suffix: ".swift")
    }.map(Repository.text(of:)).joined()
    let calls = #"((send|command|begin|work|session)\((of: )?\s*| (in|return|let event =) )"#
    let sending = try Regex(calls + #"\.\#(event)(?!\w)"#)
    #expect(store.contains(sending), "\(event)")
  }
}
