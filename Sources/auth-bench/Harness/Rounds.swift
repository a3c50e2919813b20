/// Runs rows in rounds, each row once per round, so that a change of the machine's speed meets all
/// of them alike.
struct Rounds {
  let count: Int

  /// The first round warms up and is not counted, unless it is the only one.
  ///
  /// - Returns: One measurement for each row, nil for one that is skipped.
  func measure(_ benchmarks: [Benchmark], progress: (Int) -> Void) -> [Measurement?] {
    var samples: [String: [Double]] = [:]
    for round in (count == 1 ? 1 : 0)...count {
      progress(round)
      for benchmark in benchmarks {
        guard case .measured(let sample) = benchmark.source else { continue }
        let value = sample()
        if round > 0 { samples[benchmark.name, default: []].append(value) }
      }
    }
    return benchmarks.map { benchmark in
      switch benchmark.source {
      case .measured: Measurement(name: benchmark.name, samples: samples[benchmark.name] ?? [])
      case .difference(let whole, let part):
        Measurement(
          name: benchmark.name, samples: zip(samples[whole] ?? [], samples[part] ?? []).map { $0 - $1 })
      case .same(let other): Measurement(name: benchmark.name, samples: samples[other] ?? [])
      case .skipped: nil
      }
    }
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
