import Guards
import Races
import Testing

@Suite("EachOnce: bounded, and never twice")
struct EachOnceTests {
  @Test("an element is the first once, and again ever after") func once() {
    let impressions = EachOnce<String>(bound: 10)
    #expect(impressions.see("receipt 1") == .first)
    #expect(impressions.see("receipt 1") == .again)
    #expect(impressions.see("receipt 2") == .first)
    #expect(impressions.count == 2)
  }

  @Test("at the bound unknown elements get full, known ones again, and nothing is forgotten") func bound() {
    let impressions = EachOnce<Int>(bound: 3)
    #expect((0..<5).map(impressions.see) == [.first, .first, .first, .full, .full])
    #expect((0..<5).map(impressions.see) == [.again, .again, .again, .full, .full])
    #expect(impressions.count == 3)
    #expect(EachOnce<Int>(bound: -1).see(1) == .full)
  }

  @Test("two threads that see the same element get first once") func threads() {
    let rounds = 20_000
    let impressions = EachOnce<Int>(bound: rounds)
    #expect(TwoThreads.race(rounds: rounds) { impressions.see($0) == .first } == [0, rounds, 0])
  }
}
