import Guards
import Races
import Synchronization
import Testing

private final class Plain {}

private actor RunCounter: RunsOnce {
  private(set) var count = 0
  func increment() -> RunOnce.Outcome { runOnce { count += 1 } }
}

extension RunOnceSuites {
  @Suite("one caller")
  struct RunOnceTests {
    @Test("a body runs once per object and place") func onePlace() {
      let (one, other) = (Plain(), Plain())
      var runs = 0
      func visit(_ object: Plain) -> RunOnce.Outcome { RunOnce.run(on: object) { runs += 1 } }
      #expect(visit(one) == .ran)
      #expect(visit(one) == .alreadyRan)
      #expect(visit(other) == .ran)
      #expect(RunOnce.run(on: one) { runs += 1 } == .ran)
      #expect(runs == 3)
    }

    @Test("two bodies on one line are two places") func oneLine() {
      let object = Plain()
      var runs = 0
      for _ in 0..<3 { RunOnce.run(on: object) { runs += 1 }; RunOnce.run(on: object) { runs += 10 } }
      #expect(runs == 11)
    }

    @Test("a key identifies the body, wherever the call is") func keys() {
      let object = Visited()
      var runs: [String] = []
      for row in ["a", "b", "a"] { object.runOnce(key: row) { runs.append(row) } }
      #expect(runs == ["a", "b"])
      #expect(object.runOnce(key: "b") { runs.append("again") } == .alreadyRan)
      #expect(object.runOnce(key: 1) { runs.append("1") } == .ran)
      #expect(object.runOnce(key: Int8(1)) { runs.append("1") } == .ran, "keys of different types are different")
      #expect(object.runOnce(key: [1, 2]) { runs.append("1, 2") } == .ran)
      #expect(object.runOnce(key: [1, 2]) { runs.append("1, 2") } == .alreadyRan)
      for row in 0..<2_000 { #expect(object.runOnce(key: "\(row)") {} == .ran) }
      for row in 0..<2_000 { #expect(object.runOnce(key: "\(row)") {} == .alreadyRan) }
    }

    @Test("a place is identified by the text of its file name, not by the address of the name") func copiedLiteral() {
      let object = Plain()
      let (name, other) = ("Module/Screen.swift", "Module/Other.swift")
      let copy = ["Module", "Screen.swift"].joined(separator: "/")
      #expect(RunOnce.run(on: object, fileID: name, line: 1, column: 1) {} == .ran)
      #expect(RunOnce.run(on: object, fileID: copy, line: 1, column: 1) {} == .alreadyRan)
      #expect(RunOnce.run(on: object, fileID: other, line: 1, column: 1) {} == .ran)
      #expect(RunOnce.run(on: object, fileID: name, line: 1, column: 2) {} == .ran)
      #expect(RunOnce.run(on: object, fileID: name, line: 2, column: 1) {} == .ran)
    }

    @Test(
      "a body that throws has run; until success, it runs again, and not after it succeeded",
      arguments: [(untilSuccess: false, failures: 1), (untilSuccess: true, failures: 2)])
    func throwing(untilSuccess: Bool, failures: Int) throws {
      let object = Visited()
      var runs = 0
      func visit() throws(Refusal) -> RunOnce.Outcome {
        try object.runOnce(untilSuccess: untilSuccess) { () throws(Refusal) in
          runs += 1
          if runs <= failures { throw Refusal() }
        }
      }
      for _ in 1...failures { #expect(throws: Refusal()) { try visit() } }
      if untilSuccess { #expect(try visit() == .ran) }
      #expect(try visit() == .alreadyRan)
      #expect(runs == (untilSuccess ? 3 : 1))
    }

    @Test("a call from the same place inside its body skips; other places inside run") func recursion() {
      let object = Visited()
      var outcomes: [RunOnce.Outcome] = []
      func visit(depth: Int) {
        outcomes.append(
          object.runOnce {
            if depth > 0 { visit(depth: depth - 1) }
            outcomes.append(object.runOnce(key: "inside") {})
          })
      }
      visit(depth: 3)
      #expect(outcomes == [.stillRunning, .ran, .ran])
    }

    @Test("no lock is held while a body runs") func noLock() {
      let object = Visited()
      let outcome = object.runOnce {
        TwoThreads.both { side in object.runOnce(key: side) { _ = object.visit() } }
      }
      #expect(outcome == .ran)
      #expect(object.runs.load(ordering: .relaxed) == 1)
    }

    @Test("an actor runs a body once, like other objects") func onActor() async {
      let counter = RunCounter()
      #expect(await counter.increment() == .ran)
      #expect(await counter.increment() == .alreadyRan)
      #expect(await counter.count == 1)
      #expect(RunOnce.run(on: counter) {} == .ran)
    }
  }
}
