import Foundation
import Guards
import Testing

/// A set that reports every element as new, as those of Foundation do.
private struct Forgetful: SetAlgebra, Sendable {
  private var elements: Set<Int> = []

  init() {}

  func contains(_ member: Int) -> Bool { elements.contains(member) }
  mutating func remove(_ member: Int) -> Int? { elements.remove(member) }
  mutating func update(with newMember: Int) -> Int? { elements.update(with: newMember) }

  mutating func insert(_ newMember: Int) -> (inserted: Bool, memberAfterInsert: Int) {
    elements.insert(newMember)
    return (true, newMember)
  }

  mutating func formUnion(_ other: Self) { elements.formUnion(other.elements) }
  mutating func formIntersection(_ other: Self) { elements.formIntersection(other.elements) }
  mutating func formSymmetricDifference(_ other: Self) { elements.formSymmetricDifference(other.elements) }

  func union(_ other: Self) -> Self { with { $0.formUnion(other) } }
  func intersection(_ other: Self) -> Self { with { $0.formIntersection(other) } }
  func symmetricDifference(_ other: Self) -> Self { with { $0.formSymmetricDifference(other) } }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

@Suite("Gatekeeper: sets of every kind")
struct GatekeeperSetAlgebraTests {
  @Test("a set whose insert always reports a new element also excludes callers") func forgetful() {
    excludes(Gatekeeper<Forgetful>(), 7, other: 8)
  }

  @Test("an IndexSet excludes") func indexSet() {
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
