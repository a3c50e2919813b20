import Guards
import Programs
import PublishedForms
import Races
import Synchronization
import Testing

@Suite("Gatekeeper: two threads", .timeLimit(.minutes(10)))
struct GatekeeperRaceTests {
  private let rounds = Effort.isComplete ? 200_000 : 40_000
  /// Of one race; the control repeats it.
  private let controlRounds = 2_000

  @Test("each race lets exactly one caller in") func unowned() {
    let gates = (0..<rounds).map { _ in Gatekeeper() }
    #expect(TwoThreads.race(rounds: rounds) { gates[$0].attemptPassage() } == [0, rounds, 0])
  }

  @Test("the published form lets two callers in, in the same harness") func published() async {
    let isShown = await showsTwoAtOnce {
      let gates = (0..<controlRounds).map { _ in PublishedGatekeeper() }
      return TwoThreads.race(rounds: controlRounds) { gates[$0].attemptPassage(isInterrupted: $0 % 16 == 0) }
    }
    #expect(isShown, "the harness does not race, so it proves nothing")
  }

  @Test("one condition of a set lets one caller in") func elements() {
    let gates = (0..<rounds / 4).map { _ in Gatekeeper<LoadState>() }
    #expect(
      TwoThreads.race(rounds: gates.count) {
        gates[$0].attemptPassage(for: $0 % 2 == 0 ? .loading : [.loading, .loaded])
      }
        == [0, gates.count, 0])
  }

  @Test("two callers are never inside simultaneously, even while refused callers reset the gate") func owned() {
    let gate = Gatekeeper()
    let inside = Atomic(0)
    let most = Atomic(0)
    let passed = Atomic(0)
    let rounds = rounds / 2
    TwoThreads.both { _ in
      for _ in 0..<rounds {
        let outcome = gate.withPassage {
          most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          gate.reset()
          inside.subtract(1, ordering: .relaxed)
        }
        if outcome.isRefused { gate.reset() } else { passed.add(1, ordering: .relaxed) }
      }
    }
    #expect(most.load(ordering: .relaxed) == 1)
    #expect(passed.load(ordering: .relaxed) > 0)
    #expect(gate.mayPass)
  }
}
