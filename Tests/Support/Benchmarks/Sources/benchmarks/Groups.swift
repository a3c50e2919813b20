import Glibc

/// Every group of rows; its closure creates the data that the rows need.
private var groups: [(name: String, benchmarks: (_ quick: Bool) throws -> [Benchmark])] {
  [
    ("guards", { _ in guards }),
    ("status", { _ in try status() }),
    ("writes", { _ in try writes() }),
    ("payments", { _ in try payments() }),
    ("service", { _ in try service() }),
    ("postgres", { _ in try serviceOnPostgres() }),
    ("scale", { try scale(quick: $0) }),
    ("app", { _ in try app() }),
    ("tokens", { _ in try tokens() }),
    ("agents", { try agents(quick: $0) }),
    ("refusals", { try refusals(quick: $0) }),
    ("service-refusals", { try refusalsByTheService(quick: $0) }),
  ]
}

private let usage = """
  usage: benchmarks [--quick] [GROUP]...    (in the root of the repository, after `make bench` built the programs)

    --quick  fewer samples and smaller databases: a look, not figures to quote
    GROUP    \(groups.map(\.name).joined(separator: ", ")); all of them when none is given

  """

/// Runs the groups that are named.
///
/// - Returns: The exit status.
func run(_ arguments: [String]) -> Int32 {
  let quick = arguments.contains("--quick")
  let wanted = arguments.filter { $0 != "--quick" }
  guard wanted.allSatisfy({ name in groups.contains { $0.name == name } }) else {
    print(usage, terminator: "")
    return 2
  }
  Homes.remove()
  defer { Homes.remove() }
  var missed = 0
  for group in groups where wanted.isEmpty || wanted.contains(group.name) {
    print("\(group.name):")
    do {
      for benchmark in try group.benchmarks(quick) {
        do {
          let (line, isMet) = try benchmark.run(quick: quick)
          print(line)
          if !isMet { missed += 1 }
        } catch let skip as Skip {
          print("  skipped \(benchmark.name): \(skip.reason)")
        }
        fflush(nil)
      }
    } catch let skip as Skip {
      print("  skipped: \(skip.reason)")
    } catch {
      print("  failed: \(error)")
      return 1
    }
  }
  print(missed == 0 ? "All goals measured were met." : "\(missed) goals were missed.")
  return 0
}
