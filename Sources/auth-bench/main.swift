import Glibc

exit(runBenchmarks(CommandLine.arguments.dropFirst()))

// Work at the top level of a program belongs to the main actor and is slower for it; hence a function.
func runBenchmarks(_ arguments: some Sequence<String>) -> Int32 {
  let options: BenchOptions
  do {
    options = try BenchOptions(arguments)
  } catch {
    say("auth-bench: \(error.message)\n\(BenchOptions.usage)")
    return 2
  }
  if options.help {
    print(BenchOptions.usage, terminator: "")
    return 0
  }
  #if DEBUG
    say("auth-bench: this is a debug build; its figures mean nothing. Use swift run -c release auth-bench.\n")
  #endif

  var results: [(suite: Suite, rows: [Row])] = []
  for suite in allSuites {
    let benchmarks = options.select(from: suite)
    if benchmarks.isEmpty { continue }
    let isTerminal = isatty(STDERR_FILENO) == 1
    let measurements = Rounds(count: options.rounds).measure(benchmarks) { round in
      if isTerminal { say("\r\(suite.name): round \(round) of \(options.rounds) ") }
    }
    if isTerminal { say("\r\u{1B}[K") }
    let rows = Row.rows(of: benchmarks, measurements)
    results.append((suite, rows))
    if !options.json { print(TextReport.render(suite, rows)) }
  }
  if results.isEmpty {
    say("auth-bench: no suite or row has \"\(options.filter ?? "")\" in its name\n")
    return 2
  }
  if options.json { print(JSONReport.render(results), terminator: "") }
  return 0
}

/// Writes to standard error, so that standard output holds nothing but the result.
func say(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
