import Guards
import Races
import Synchronization
import Testing

extension RunOnceSuites {
  @Suite("two callers at first contact")
  struct RunOnceRaceTests {
    private let rounds = 20_000

    @Test("of 20,000 races none runs a body twice, and none skips it") func plain() {
      let objects = (0..<rounds).map { _ in Visited() }
      let ran = TwoThreads.race(rounds: rounds) { objects[$0].visit() == .ran }
      #expect(ran == [0, rounds, 0])
      #expect(objects.allSatisfy { $0.runs.load(ordering: .relaxed) == 1 })
    }

    @Test("the published algorithm runs a body twice in the same harness") func published() {
      let objects = (0..<rounds).map { _ in PublishedRunOnce() }
      let seen = TwoThreads.race(rounds: rounds) { round in
        var ran = false
        objects[round].run("place", isInterrupted: round % 16 == 0) { ran = true }
        return ran
      }
      #expect(seen[2] > 0, "the harness does not race, so it proves nothing")
    }

    @Test("of 20,000 asynchronous races none runs a body twice, and the loser returns after the end")
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

    @Test("the published algorithm runs a body twice in the same asynchronous harness")
    func publishedAsynchronous() async {
      var twice = 0
      // While other tests use the threads of the pool, one task may run only after the other.
      for _ in 0..<20 where twice == 0 {
        let objects = (0..<rounds).map { _ in PublishedRunOnce() }
        let seen = await TwoTasks.race(rounds: rounds) { round in
          var ran = false
          objects[round].run("place", isInterrupted: round % 16 == 0) { ran = true }
          return ran
        }
        twice = seen[2]
      }
      #expect(twice > 0, "the harness does not race, so it proves nothing")
    }

    @Test("until success, exactly one of two racing callers succeeds") func untilSuccess() {
      let objects = (0..<rounds / 4).map { _ in Visited() }
      let ran = TwoThreads.race(rounds: objects.count) { round in
        var succeeded = false
        while true {
          let outcome = try? objects[round].runOnceUntilSuccess(key: 0) { () throws(Refusal) in
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
