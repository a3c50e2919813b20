/// What was asked for on the command line.
struct BenchOptions: Sendable {
  static let usage = """
    usage: auth-bench [--filter TEXT] [--rounds N] [--quick] [--json] [--list] [--help]

      --filter TEXT  only the suite of that name, else suites and rows whose name contains TEXT, with the rows they need
      --rounds N     samples per row, 3 to 1000 (default 15); suites whose samples are dear or noisy take fewer or more
      --quick        fewer samples and smaller populations: a look, not a figure to quote
      --json         one JSON document on standard output
      --list         the names of the suites

    """

  var filter: String?
  var rounds = 15
  var isQuick = false
  var json = false
  var list = false
  var help = false

  /// Why the command line was not understood.
  struct Misuse: Error { let message: String }

  init(_ arguments: some Sequence<String>) throws(Misuse) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": json = true
      case "--list": list = true
      case "--help", "-h": help = true
      case "--quick":
        isQuick = true
        rounds = 5
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

  /// Whether to say what takes long.
  var isTalkative: Bool { !json }

  /// Whether to look into a suite: the one of that name, else those whose names contain the text,
  /// else all that are cheap to build, for their rows.
  func looksInto(_ suite: Suite, among all: [Suite]) -> Bool {
    if let named = all.first(where: { $0.name == filter }) { return suite.name == named.name }
    return wants(suite) || (!suite.isDear && !all.contains(where: wants))
  }

  /// Whether a suite is wanted as a whole.
  private func wants(_ suite: Suite) -> Bool { filter.map { suite.name.contains($0) } ?? true }

  /// The wanted rows, and with them those they are held against or made of.
  func select(from all: [Benchmark], of suite: Suite) -> [Benchmark] {
    guard let filter, !wants(suite) else { return all }
    var wanted = Set(all.map(\.name).filter { $0.contains(filter) })
    for benchmark in all.reversed() where wanted.contains(benchmark.name) { wanted.formUnion(benchmark.needs) }
    return all.filter { wanted.contains($0.name) }
  }
}
