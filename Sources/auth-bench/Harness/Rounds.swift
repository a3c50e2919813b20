/// Runs rows in rounds, each row once per round, so that a change of the machine's speed meets all of them alike.
struct Rounds {
  let count: Int

  /// The first round warms up and is not counted.
  func measure(_ benchmarks: [Benchmark], progress: (Int) -> Void) -> [Measurement] {
    var samples = [[Double]](repeating: [], count: benchmarks.count)
    for round in 0...count {
      progress(round)
      for (index, benchmark) in benchmarks.enumerated() {
        let elapsed = ContinuousClock().measure(benchmark.run)
        if round > 0 { samples[index].append(elapsed.nanoseconds / Double(benchmark.operations)) }
      }
    }
    return zip(benchmarks, samples).map { Measurement(name: $0.name, samples: $1) }
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}

/// Makes the optimiser believe that a value is used.
@inline(never)
@_optimize(none)
func keep<Value>(_ value: Value) {}
