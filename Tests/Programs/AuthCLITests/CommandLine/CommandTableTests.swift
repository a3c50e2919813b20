import Glibc
import Testing

@testable import AuthCLIProgram
@testable import CommandLineKit

@Suite("The table of commands", .timeLimit(.minutes(10)))
struct CommandTableTests {
  let tool = AuthTool.tool

  @Test("names are unique at their place, and plain")
  func names() {
    func check(_ commands: [Command<CommandBody>]) {
      let names = commands.flatMap(\.names)
      #expect(Set(names).count == names.count)
      for name in names { #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") }, "\(name)") }
      for command in commands { check(command.subcommands) }
    }
    check(tool.commands)
    for location in tool.locations {
      let options = location.command.options + tool.allGlobalOptions
      let spellings = options.flatMap(\.spellings)
      #expect(Set(spellings).count == spellings.count, "\(location.path)")
    }
  }

  @Test("an option takes a value everywhere or nowhere, because it may come before its command")
  func optionKinds() {
    var kinds: [String: Bool] = [:]
    for option in tool.everyOption {
      let takesValue = option.value != nil
      #expect(kinds.updateValue(takesValue, forKey: option.long) ?? takesValue == takesValue, "\(option.flag)")
    }
  }

  @Test("summaries fit 60 columns and have no full stop")
  func summaries() {
    for location in tool.locations {
      let summary = location.command.summary
      #expect((1...60).contains(DisplayWidth.columns(summary)), "\(summary)")
      #expect(summary.first?.isUppercase == true && summary.last != ".", "\(summary)")
    }
  }

  @Test("only the last argument takes what is left, and none that must be given follows one that need not")
  func arguments() {
    for location in tool.locations {
      let arities = location.command.arguments.map(\.arity)
      #expect(!arities.dropLast().contains { $0.takesRest })
      if let optional = arities.firstIndex(where: { !$0.isRequired }) {
        #expect(!arities[optional...].contains { $0.isRequired })
      }
    }
  }

  @Test("every command has an example, and every example is understood as that command")
  func examples() throws {
    for location in tool.locations {
      #expect(!location.command.examples.isEmpty, "\(location.path)")
      for example in location.command.examples {
        guard case .request(_, let words) = try tool.parse(Self.words(example.line)) else {
          Issue.record("\(example.line) asks for no command")
          continue
        }
        #expect(Array(words.path.dropFirst().prefix(location.path.count)) == location.path, "\(example.line)")
      }
    }
    for step in tool.about.firstSteps { _ = try tool.parse(Self.words(step.line)) }
  }

  @Test("no command is looked for under the name of another")
  func soughtAs() {
    let commands = tool.locations.map(\.command)
    let names = Set(commands.flatMap { [$0.name] + $0.aliases })
    #expect(names.isDisjoint(with: commands.flatMap(\.soughtAs)))
  }

  @Test("the manual page and the help show the same line for each command")
  func synopsis() throws {
    let lines = tool.manual.split(separator: "\n").drop { $0 != ".Sh SYNOPSIS" }.dropFirst()
    let synopsis = lines.prefix { !$0.hasPrefix(".Sh") }.split(separator: ".Nm").map { command in
      command.map { line in
        let words = line.replacing("\\", with: "").split(separator: " ").dropFirst()
        let isOptional = line.hasPrefix(".Op")
        let text = (isOptional ? words.dropFirst() : words[...]).filter { $0 != "Ar" && $0 != "..." }
        let isFlag = line.hasPrefix(".Fl") || line.hasPrefix(".Op Fl")
        let shown = (isFlag ? "-" : "") + text.joined(separator: " ") + (words.last == "..." ? "..." : "")
        return isOptional ? "[\(shown)]" : shown
      }.joined(separator: " ")
    }
    let usage = tool.commands.flatMap { $0.usageLines(name: $0.name) }
    #expect(synopsis == usage)
  }

  @Test("every option and argument that a file declares is read in it, or in several files")
  func parametersAreRead() throws {
    let sources = try TextFile.list("Sources/Programs/AuthCLIProgram", suffix: ".swift").map(TextFile.read)
    let everything = sources.joined()
    for source in sources {
      for match in source.matches(of: /(private )?static let (\w+) = (?:Option|Argument)\./) {
        let name = match.output.2
        let text = match.output.1 == nil ? everything : source
        #expect(["", "Self.", "Options.", "Arguments."].contains { text.contains("words[\($0)\(name)]") }, "\(name)")
      }
      let listed = source.matches(of: /\boptions: \[([^\]]*)\]/).flatMap { $0.output.1.split(separator: ", ") }
      for name in Set(listed) where name.hasPrefix("Options.") {
        let reads = source.ranges(of: "words[\(name)]").count
        #expect(reads >= listed.count { $0 == name }, "a command lists \(name) and does not read it")
      }
    }
  }

  @Test("every command can end with the statuses that parsing and printing give, in order")
  func statuses() {
    for location in tool.locations {
      let codes = tool.statuses(of: location.command)
      #expect(codes == codes.sorted() && Set(codes).count == codes.count)
      #expect(codes.contains(CommandLineKit.ExitStatus.usage.rawValue))
      if location.command.request != nil { #expect(codes.contains(0) && codes.contains(3), "\(location.path)") }
    }
    #expect(tool.about.statuses.map { $0.code } == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test("every variable that an option reads is in the list of the environment")
  func variables() {
    for variable in tool.everyOption.compactMap(\.environment) {
      #expect(tool.about.glossaries.flatMap(\.entries).contains { $0.term == variable }, "\(variable)")
    }
  }

  @Test("every name, option and choice is offered at its place")
  func offers() {
    func offers(_ words: [String]) -> [String] {
      tool.completions(of: words.map { Word($0) }).words.map(\.value)
    }
    for location in tool.locations {
      let (command, place) = (location.command, Array(location.path.dropLast()))
      #expect(Set(command.names).isSubset(of: offers(place + [""])), "\(location.path)")
      for option in command.options + tool.allGlobalOptions {
        #expect(Set(option.spellings).isSubset(of: offers(location.path + ["-"])), "\(location.path) \(option.flag)")
        guard let value = option.value else { continue }
        #expect(
          offers(location.path + [option.flag, ""]) == (value.form.candidates + value.form.examples).map(\.value),
          "\(option.flag)")
      }
    }
  }

  /// The words of an example up to the first operator of the shell, as a shell reads them.
  static func words(_ line: String) -> [Word] {
    var read = wordexp_t()
    let isRead = wordexp(String(line.prefix { !"<>|&".contains($0) }), &read, 0) == 0
    #expect(isRead, "\(line)")
    defer { wordfree(&read) }
    return (0..<read.we_wordc).compactMap { read.we_wordv[$0] }.map { Word(String(cString: $0)) }
  }
}
