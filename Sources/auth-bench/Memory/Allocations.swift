import CPerfEvent
import Glibc

/// Counts what this thread allocates: the calls of `malloc` and its like, by breakpoints of the
/// processor, which leave the program as it is.
enum Allocations {
  /// How many allocations the work makes.
  ///
  /// - Throws: When the kernel does not give the breakpoints, or when they do not count.
  static func count(_ work: () -> Void) throws(BenchError) -> Int {
    var counters: [Int32] = []
    defer { for counter in counters { close(counter) } }
    var index: Int32 = 0
    while let function = cperfevent_allocator(index) {
      let counter = cperfevent_count_calls(function)
      guard counter >= 0 else { throw .system("counting allocations") }
      counters.append(counter)
      index += 1
    }
    let start = try total(counters)
    for size in 1...100 { keep(Array(repeating: size, count: size)) }
    let middle = try total(counters)
    // More is well: the runtime may have something to set up.
    guard middle - start >= 100 else { throw BenchError("100 arrays were counted as \(middle - start) allocations") }
    work()
    return try total(counters) - middle
  }

  private static func total(_ counters: [Int32]) throws(BenchError) -> Int {
    var total = 0
    for counter in counters {
      var calls: UInt64 = 0
      guard read(counter, &calls, 8) == 8 else { throw .system("counting allocations") }
      total += Int(calls)
    }
    return total
  }
}

extension Benchmark {
  /// A row that must stay at nothing: the allocations of all that `run` does.
  static func allocations(_ name: String, _ run: @escaping () -> Void) -> Benchmark {
    do {
      _ = try Allocations.count {}
    } catch {
      return .skipped(name, because: error.message)
    }
    return Benchmark(name, .count, goal: .atMost(0)) {
      require(name) { Double(try Allocations.count(run)) }
    }
  }
}
