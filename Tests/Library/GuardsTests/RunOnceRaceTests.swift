import Guards
import Programs
import PublishedForms
import Races
import Synchronization
import Testing

extension RunOnceSuites {
  @Suite("two simultaneous first callers")
  struct RunOnceRaceTests {
    private let rounds = Effort.isComplete ? 20_000 : 4_000
    /// Of one race; the control repeats it.
    private let controlRounds = 2_000

    @Test("no race runs a body twice, and none skips it") func plain() {
      let objects = (0..<rounds).map { _ in Visited() }
      let ran = TwoThreads.race(rounds: rounds) { objects[$0].visit() == .ran }
      #expect(ran == [0, rounds, 0])
      #expect(objects.allSatisfy { $0.runs.load(ordering: .relaxed) == 1 })
    }

    @Test("the published algorithm runs a body twice in the same harnesses", arguments: [false, true])
    func published(inTasks: Bool) async {
      let isShown = await showsTwoAtOnce {
        let objects = (0..<controlRounds).map { _ in PublishedRunOnce() }
        if inTasks { return await TwoTasks.race(rounds: controlRounds) { objects[$0].runs($0) } }
        return TwoThreads.race(rounds: controlRounds) { objects[$0].runs($0) }
      }
      #expect(isShown, "the harness does not race, so it proves nothing")
    }

    @Test("no asynchronous race runs a body twice, and the second caller returns after the end")
    func asynchronous() async {
      let objects = (0..<rounds).map { _ in Visited() }
      let ran = await TwoTasks.race(rounds: rounds) { round in
        let outcome = await objects[round].visitAndWait()
        #expect(objects[round].ends.load(ordering: .relaxed) == 1)
        return outcome == .ran
      }
      #expect(ran == [0, rounds, 0])
      #expect(objects.allSatisfy { $0.runs.load(ordering: .relaxed) == 1 })
    }

    @Test("until success, exactly one of two racing callers succeeds") func untilSuccess() {
      let objects = (0..<rounds / 4).map { _ in Visited() }
      let ran = TwoThreads.race(rounds: objects.count) { round in
        var succeeded = false
        while true {
          let outcome = try? objects[round].runOnce(key: 0, untilSuccess: true) { () throws(Refusal) in
            if objects[round].runs.add(1, ordering: .relaxed).newValue < 3 { throw Refusal() }
            succeeded = true
          }
          if outcome == .ran || outcome == .alreadyRan { return succeeded }
        }
      }
      #expect(ran == [0, objects.count, 0])
    }
  }
}
