/// What was asked for on the command line.
struct BenchOptions {
  static let usage = """
    usage: auth-bench [--filter TEXT] [--rounds N] [--json] [--help]

      --filter TEXT  only suites and rows whose name contains TEXT, with the baselines they need
      --rounds N     samples per row, 3 to 1000 (default 15)
      --json         one JSON document on standard output

    """

  var filter: String?
  var rounds = 15
  var json = false
  var help = false

  /// Why the command line was not understood.
  struct Misuse: Error { let message: String }

  init(_ arguments: some Sequence<String>) throws(Misuse) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": json = true
      case "--help", "-h": help = true
      case "--filter":
        guard let text = rest.popFirst() else { throw Misuse(message: "--filter needs a text") }
        filter = text
      case "--rounds":
        guard let text = rest.popFirst(), let count = Int(text), (3...1000).contains(count) else {
          throw Misuse(message: "--rounds needs a number from 3 to 1000")
        }
        rounds = count
      case _:
        throw Misuse(message: "unknown argument \"\(argument)\"")
      }
    }
  }

  /// The wanted rows of a suite, and with them the baselines they are held against.
  func select(from suite: Suite) -> [Benchmark] {
    let all = suite.benchmarks()
    guard let filter, !suite.name.contains(filter) else { return all }
    var wanted = Set(all.map(\.name).filter { $0.contains(filter) })
    for benchmark in all.reversed() {
      if wanted.contains(benchmark.name), let baseline = benchmark.baseline { wanted.insert(baseline) }
    }
    return all.filter { wanted.contains($0.name) }
  }
}
