import AuthCore
import Guards

extension Suite {
  /// Code that has run already: what every later call pays, alone and in a crowd.
  static let runOnce = Suite(name: "runonce", summary: "already ran, from another module") { _ in
    let crowd = (0..<population).map { _ in Visited() }
    let lone = Visited()
    for object in crowd { visit(object) }
    visit(lone)
    let hot = crowd[population / 2]
    let order = shuffled(0..<population)
    let dictionary = Dictionary(uniqueKeysWithValues: crowd.map { (ObjectIdentifier($0), true) })

    return [
      Benchmark("already ran", operations: population, goal: .nanoseconds(25)) {
        for _ in 0..<population { visit(lone) }
      },
      Benchmark("known key", operations: population, against: "already ran") {
        for _ in 0..<population { visit(lone, key: "viewed") }
      },
      Benchmark("one hot object among 1,000,000", operations: population, against: "already ran", goal: .ratio(1.2)) {
        for _ in 0..<population { visit(hot) }
      },
      Benchmark("Dictionary look-up, random among 1,000,000", operations: population) {
        var found = 0
        for index in order where dictionary[ObjectIdentifier(crowd[index])] == true { found += 1 }
        keep(found)
      },
      Benchmark(
        "random among 1,000,000", operations: population, against: "Dictionary look-up, random among 1,000,000",
        goal: .ratio(6)
      ) {
        for index in order { visit(crowd[index]) }
      },
      Benchmark("first contact of a new object, and its end", operations: newcomers) {
        for _ in 0..<newcomers { visit(Visited()) }
      },
    ]
  }
}

private let population = 1_000_000
private let newcomers = 100_000

private final class Visited: RunsOnce {}

@inline(never)
private func visit(_ object: Visited) {
  object.runOnce { keep(1) }
}

@inline(never)
private func visit(_ object: Visited, key: String) {
  object.runOnce(key: key) { keep(1) }
}

/// The same order in every run (a linear congruential generator with Knuth's constants).
private func shuffled(_ range: Range<Int>) -> [Int] {
  var state: UInt64 = 1
  var result = Array(range)
  for index in result.indices.reversed() {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    result.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
  }
  return result
}
