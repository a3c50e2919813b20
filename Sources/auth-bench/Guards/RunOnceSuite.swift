import AuthCore
import Guards
import Synchronization

extension Suite {
  /// Code that has run already: what every later call pays, alone and in a crowd.
  static let runOnce = Suite(name: "runonce", summary: "already ran, from another module") { _ in
    let crowd = (0..<population).map { _ in Visited() }
    let lone = Visited()
    for object in crowd { visit(object) }
    visit(lone)
    let hot = crowd[population / 2]
    let order = shuffled(0..<population)
    let loneTable = HandWritten([lone])
    let table = HandWritten(crowd)

    return [
      Benchmark("Mutex<Dictionary> hit, by object and place", operations: population) {
        for _ in 0..<population { loneTable.visit(lone) }
      },
      Benchmark(
        "already ran", operations: population, against: "Mutex<Dictionary> hit, by object and place", goal: .ratio(1.2)
      ) {
        for _ in 0..<population { visit(lone) }
      },
      Benchmark("known key", operations: population, against: "already ran") {
        for _ in 0..<population { visit(lone, key: "viewed") }
      },
      Benchmark("one hot object among 1,000,000", operations: population, against: "already ran", goal: .ratio(1.2)) {
        for _ in 0..<population { visit(hot) }
      },
      Benchmark("Mutex<Dictionary> hit, random among 1,000,000", operations: population) {
        for index in order { table.visit(crowd[index]) }
      },
      Benchmark(
        "random among 1,000,000", operations: population, against: "Mutex<Dictionary> hit, random among 1,000,000",
        goal: .ratio(2)
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

/// What one would write by hand: a lock, and a dictionary of the places that ran on each object.
private final class HandWritten: Sendable {
  private struct Site: Hashable {
    let object: ObjectIdentifier
    let line: UInt
    let column: UInt
  }

  private let sites = Mutex<[Site: Bool]>([:])

  init(_ objects: [Visited]) {
    for object in objects { visit(object) }
  }

  @inline(never)
  func visit(_ object: Visited, line: UInt = 1, column: UInt = 1) {
    let site = Site(object: ObjectIdentifier(object), line: line, column: column)
    let hasRun = sites.withLock { sites in
      if sites[site] == true { return true }
      sites[site] = true
      return false
    }
    if !hasRun { keep(1) }
  }
}

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
