import Glibc

exit(run(Array(CommandLine.arguments.dropFirst())))

// Work at the top level of a program belongs to the main actor and is slower for it; hence a
// function.
func run(_ arguments: [String]) -> Int32 {
  // This program in the part of a measured one.
  if arguments.count == 2, arguments[0] == "--log-in" { return CheapLogin.run(home: arguments[1]) }
  if arguments == ["--run-once-memory"] { return RunOnceMemory.run() }
  do {
    return try runBenchmarks(BenchOptions(arguments))
  } catch {
    say("auth-bench: \(error.message)\n\(BenchOptions.usage)")
    return 2
  }
}

func runBenchmarks(_ options: BenchOptions) -> Int32 {
  if options.help {
    print(BenchOptions.usage, terminator: "")
    return 0
  }
  if options.list {
    for suite in allSuites { print("\(TextReport.padded(suite.name, to: 14)) \(suite.summary)") }
    return 0
  }
  #if DEBUG
    say("auth-bench: this is a debug build; its figures mean nothing. Use 'make bench'.\n")
  #endif
  if !options.json { print(Machine.summary + "\n") }
  var results: [(suite: Suite, rows: [Row])] = []
  for suite in allSuites where options.looksInto(suite, among: allSuites) {
    let rows = measure(suite, options)
    if rows.isEmpty { continue }
    results.append((suite, rows))
    if !options.json {
      print(TextReport.render(suite, rows))
      fflush(nil)
    }
  }
  if results.isEmpty {
    say("auth-bench: no suite or row has \"\(options.filter ?? "")\" in its name; --list names the suites\n")
    return 2
  }
  if options.json { print(JSONReport.render(results), terminator: "") } else { print(TextReport.summary(results)) }
  return 0
}

private func measure(_ suite: Suite, _ options: BenchOptions) -> [Row] {
  let benchmarks: [Benchmark]
  do {
    benchmarks = options.select(from: try suite.benchmarks(options), of: suite)
  } catch {
    let reason = (error as? BenchError)?.message ?? "\(error)"
    return [Row(benchmark: .skipped(suite.name, because: reason), measurement: nil, baseline: nil)]
  }
  if benchmarks.isEmpty { return [] }
  let isTerminal = isatty(STDERR_FILENO) == 1
  let count = suite.rounds(options)
  let measurements = Rounds(count: count).measure(benchmarks) { round in
    if isTerminal { say("\r\(suite.name): round \(round) of \(count) ") }
  }
  if isTerminal { say("\r\u{1B}[K") }
  return Row.rows(of: benchmarks, measurements)
}

/// Writes to standard error, so that standard output holds nothing but the result.
func say(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
