import Foundation
import Testing

@testable import AuthCore

@Suite struct MachineTableTests {
  private static let table = MachineTable()

  @Test("every pair of a state and an event has one cell, with at least one outcome")
  func isWhole() {
    let pairs = Self.table.cells.map { "\($0.state) \($0.event)" }
    #expect(Set(pairs).count == pairs.count)
    #expect(pairs.count == SessionState.Kind.allCases.count * SessionEvent.Kind.allCases.count)
    #expect(Self.table.cells.allSatisfy { !$0.outcomes.isEmpty })
  }

  @Test("a command is taken or rejected, never ignored; only a command is rejected")
  func commandsAreAnswered() {
    for cell in Self.table.cells {
      for outcome in cell.outcomes {
        switch outcome.answer {
        case .transition: break
        case .rejected: #expect(cell.event.command != nil, "\(cell.state), \(outcome.example)")
        case .ignored: #expect(cell.event.command == nil, "\(cell.state), \(outcome.example)")
        }
      }
    }
  }

  @Test("the first events are the commands, by the same names")
  func commandsAreEvents() {
    #expect(SessionEvent.Kind.allCases.compactMap(\.command) == SessionCommand.allCases)
  }

  @Test("each command has its own bit in a set of commands", arguments: SessionCommand.allCases)
  func commandSet(_ command: SessionCommand) {
    let set: CommandSet =
      switch command {
      case .restore: .restore
      case .logIn: .logIn
      case .switchUser: .switchUser
      case .reauthenticate: .reauthenticate
      case .renew: .renew
      case .check: .check
      case .answer: .answer
      case .cancel: .cancel
      case .logOut: .logOut
      }
    #expect(set.commands == [command])
  }

  @Test("what is ignored leads to clean-up and to nothing else")
  func ignoredOnlyCleansUp() {
    for outcome in Self.table.cells.flatMap(\.outcomes) {
      guard case .ignored = outcome.answer else { continue }
      #expect(Set(outcome.effects).isSubset(of: [.discard, .discardSaved, .withdraw]), "\(outcome.example)")
    }
  }

  @Test("adding a state or an event does not compile until every cell is decided: no switch has a default")
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

  @Test("the store gives the machine every event", arguments: SessionEvent.Kind.allCases)
  func isSent(_ event: SessionEvent.Kind) throws {
    let store = try ["Runtime", "Session"].flatMap { room in
      Repository.files(below: "Sources/AuthCore/\(room)", suffix: ".swift")
    }.map(Repository.text(of:)).joined()
    let sending = try Regex(#"((send|begin)\(\s*| (in|return) )\.\#(event.rawValue)(?!\w)"#)
    #expect(store.contains(sending), "\(event)")
  }

  @Test("states of one shape answer alike: the table has every answer that six events lead to")
  func shapes() {
    let cells = Dictionary(uniqueKeysWithValues: Self.table.cells.map { ("\($0.state) \($0.event)", $0.outcomes) })
    var machines = [SessionMachine(policy: RenewalPolicy(limit: 1))]
    var seen: Set<SessionState> = []
    for _ in 0..<6 {
      let asked = machines
      machines = []
      for machine in asked {
        for sample in EventSample.all(for: machine) {
          var next = machine
          let example = MachineTable.Example(state: machine.state.shape, event: sample.shape)
          let outcome = MachineTable.Outcome(next.handle(sample.event), example)
          let known = cells["\(machine.state.kind) \(sample.event.kind)", default: []]
          if !known.contains(where: { $0.isLike(outcome) }) {
            Issue.record("other states of the shape '\(example.state)' do not answer '\(example.event)' like this one")
          }
          if seen.insert(next.state).inserted { machines.append(next) }
        }
      }
    }
    #expect(seen.count > 300)
  }

  @Test("the text fits a terminal", arguments: [60, 80, 120])
  func textFits(_ width: Int) {
    let lines = Self.table.text(width: width).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(lines.count > Self.table.cells.count)
  }

  /// `RECORD_GOLDEN=1` writes the files instead; read the difference before you keep it.
  @Test("the table is the golden one", arguments: ["machine.txt", "machine.mmd"])
  func golden(_ name: String) throws {
    let printed = name == "machine.txt" ? Self.table.text(width: 100) : Self.table.mermaid
    let path = "fixtures/golden/\(name)"
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
      try Data(printed.utf8).write(to: URL(filePath: Repository.root + "/" + path))
    }
    let golden = try Repository.text(of: path)
    #expect(printed.split(separator: "\n") == golden.split(separator: "\n"), "see RECORD_GOLDEN in CONTRIBUTING.md")
    #expect(printed == golden)
  }
}
