import Foundation
import Guards
import Races
import Testing

/// A gate for one thread, too simple to be wrong: the taken conditions and their holders.
private struct GateModel {
  var unowned: Set<Int> = []
  var owned: [[Int]?] = []

  var taken: Set<Int> { unowned.union(owned.compactMap(\.self).joined()) }

  func mayPass(_ option: [Int]) -> Bool { !option.isEmpty && taken.isDisjoint(with: option) }

  mutating func attempt(_ option: [Int]) -> Bool {
    guard mayPass(option) else { return false }
    unowned.formUnion(option)
    return true
  }

  mutating func acquire(_ option: [Int]) -> Bool {
    let passes = mayPass(option)
    owned.append(passes ? option : nil)
    return passes
  }
}

private struct Bits: OptionSet, Sendable {
  let rawValue: Int
}

@Suite("Gatekeeper: a sequential model", .timeLimit(.minutes(10)))
struct GatekeeperModelTests {
  @Test("every sequence of calls on sets of every kind matches the model", arguments: 0..<40 as Range<UInt64>)
  func sets(seed: UInt64) {
    walk(seed: seed, largestOption: 3, Gatekeeper<Bits>()) { Bits(rawValue: $0.reduce(0) { $0 | 1 << $1 }) }
    walk(seed: seed, largestOption: 1, Gatekeeper<Set<String>>()) { "\($0)" }
    // Their `insert` reports every element as new.
    walk(seed: seed, largestOption: 1, Gatekeeper<IndexSet>()) { $0[0] }
    walk(seed: seed, largestOption: 1, Gatekeeper<CharacterSet>()) { Unicode.Scalar(UInt8($0[0])) }
  }

  @Test("every sequence of calls on a gate with one condition matches the model", arguments: 0..<40 as Range<UInt64>)
  func oneCondition(seed: UInt64) {
    let gate = Gatekeeper()
    walk(
      seed: seed, elements: 1, largestOption: 1,
      mayPass: { _ in gate.mayPass }, attempt: { _ in gate.attemptPassage() }, reset: { _ in gate.reset() },
      acquire: { _ in Holder(gate.acquire()) }, within: { _, body in gate.withPassage(body) })
  }

  private func walk<Value: SetAlgebra & Sendable>(
    seed: UInt64, largestOption: Int, _ gate: Gatekeeper<Value>, _ named: @escaping ([Int]) -> Value.Element
  ) where Value.Element: Sendable {
    walk(
      seed: seed, largestOption: largestOption,
      mayPass: { gate.mayPass(for: named($0)) }, attempt: { gate.attemptPassage(for: named($0)) },
      reset: { gate.reset(for: named($0)) }, acquire: { Holder(gate.acquire(for: named($0))) },
      within: { option, body in gate.withPassage(for: named(option), body) })
  }

  private func walk(
    seed: UInt64, elements: Int = 4, largestOption: Int,
    mayPass: @escaping ([Int]) -> Bool, attempt: ([Int]) -> Bool, reset: @escaping ([Int]) -> Void,
    acquire: ([Int]) -> Holder,
    within: ([Int], () -> Void) -> PassageOutcome<Void>
  ) {
    var generator = SeededGenerator(seed: seed)
    var model = GateModel()
    var holders: [Holder] = []
    for step in 0..<200 {
      let smallest = largestOption > 1 ? 0 : 1
      let size = Int.random(in: smallest...largestOption, using: &generator)
      let option = Array((0..<elements).shuffled(using: &generator).prefix(size))
      let at: Comment = "seed \(seed), step \(step), option \(option)"
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        #expect(mayPass(option) == model.mayPass(option), at)
      case 1:
        #expect(attempt(option) == model.attempt(option), at)
      case 2:
        reset(option)
        model.unowned.subtract(option)
      case 3:
        holders.append(acquire(option))
        #expect(holders.last?.isInside == model.acquire(option), at)
      case 4:
        guard let index = holders.indices.randomElement(using: &generator) else { continue }
        if step.isMultiple(of: 2) { holders[index].passage = nil } else { holders[index].passage.take()?.leave() }
        model.owned[index] = nil
      case _:
        let passes = model.mayPass(option)
        var ran = false
        let inside = within(option) {
          ran = true
          reset(option)
          #expect(!mayPass(option), at)
        }
        #expect(inside.isRefused != passes && ran == passes, at)
      }
    }
  }
}
