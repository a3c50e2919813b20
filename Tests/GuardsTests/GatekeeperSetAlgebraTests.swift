import Foundation
import Guards
import Testing

@Suite("Gatekeeper: sets of every kind")
struct GatekeeperSetAlgebraTests {
  @Test("an IndexSet excludes, although its insert reports every element as new") func indexSet() {
    var seven: IndexSet = [7]
    #expect(seven.insert(7).inserted, "no set here shows a gate that trusts the result of insert")
    excludes(Gatekeeper<IndexSet>(), 7, other: 8)
  }

  @Test("a CharacterSet excludes") func characterSet() {
    excludes(Gatekeeper<CharacterSet>(), "a", other: "b")
  }

  @Test("a Set excludes") func set() {
    excludes(Gatekeeper<Set<Int>>(), 7, other: 8)
  }

  private func excludes<Value: SetAlgebra & Sendable>(
    _ gate: Gatekeeper<Value>, _ element: Value.Element, other: Value.Element
  ) where Value.Element: Sendable {
    #expect(gate.attemptPassage(for: element))
    #expect(!gate.attemptPassage(for: element))
    #expect(gate.withPassage(for: element) {}.isRefused)
    #expect(gate.attemptPassage(for: other))
    gate.reset(for: element)
    gate.reset(for: other)

    let outer = gate.withPassage(for: element) {
      [gate.withPassage(for: element) {}.isRefused, gate.attemptPassage(for: element), gate.mayPass(for: other)]
    }
    #expect(outer == .passed([true, false, true]))

    let passage = gate.acquire(for: element)
    let second = gate.acquire(for: element)
    let (isInside, isSecondInside) = (passage != nil, second != nil)
    #expect(isInside && !isSecondInside)
    passage?.leave()
    #expect(gate.mayPass(for: element))
  }
}
