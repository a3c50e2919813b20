import Glibc

/// Until the commands have bodies: understands the line and prints help.
func runAuthCLI() -> ExitStatus {
  StandardDescriptors.occupyClosed()
  let words = Word.programArguments()
  let streams = Streams.standard(noColor: false)
  let help = Help(AuthTool.tool, width: streams.output.width)
  do {
    switch try Parser(AuthTool.tool).parse(words, environment: Environment.word) {
    case .help(let topic), .request(.help(let topic), _): streams.output.write(try help.page(topic))
    case .request(.manual, _): streams.output.write(Manual(AuthTool.tool).page)
    case .request(.completions(let shell), _): streams.output.write(Completions(AuthTool.tool).script(for: shell))
    case .version: streams.output.writeLine("\(AuthTool.tool.name) \(AuthTool.version)")
    case .request(let request, _): streams.errors.writeLine("understood: \(request)")
    }
  } catch let error {
    streams.errors.writeLine("auth-cli: \(error.message)\n\(error.hint)")
    try? streams.errors.flush()
    return .usage
  }
  do {
    try streams.output.flush()
    try streams.errors.flush()
    return .done
  } catch {
    return .cannotTell
  }
}

exit(runAuthCLI().rawValue)
