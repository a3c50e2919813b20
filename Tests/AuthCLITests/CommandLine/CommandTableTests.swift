import AuthMessages
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("The table of commands")
struct CommandTableTests {
  let tool = AuthTool.tool

  @Test("names are unique at their place, and plain")
  func names() {
    func check(_ commands: [Command<any CommandBody>]) {
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
    for option in tool.allGlobalOptions + tool.locations.flatMap(\.command.options) {
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
      #expect(!arities.dropLast().contains(.any))
      if let optional = arities.firstIndex(where: { $0 != .one }) { #expect(!arities[optional...].contains(.one)) }
    }
  }

  @Test("every command has an example, and every example is understood as that command")
  func examples() throws {
    let parser = Parser(tool)
    for location in tool.locations {
      #expect(!location.command.examples.isEmpty, "\(location.path)")
      for example in location.command.examples {
        guard case .request(_, let words) = try parser.parse(Self.words(example.line)) else {
          Issue.record("\(example.line) asks for no command")
          continue
        }
        #expect(Array(words.path.dropFirst().prefix(location.path.count)) == location.path, "\(example.line)")
      }
    }
    for step in tool.about.firstSteps { _ = try parser.parse(Self.words(step.line)) }
  }

  @Test("every option of a command is read by it")
  func optionsAreRead() throws {
    let parser = Parser(tool)
    for location in tool.locations where location.command.request != nil {
      let command = location.command
      let required: [Word] = try command.options.filter(\.isRequired).flatMap { option -> [Word] in
        [Word(option.flag), try Self.sample(of: #require(option.value).form, named: option.flag)]
      }
      let arguments = try command.arguments.map { try Self.sample(of: $0.form, named: $0.name) }
      let line = location.path.map { Word($0) } + arguments + required
      guard case .request(let plain, _) = try parser.parse(line) else {
        Issue.record("\(location.path) asks for no command")
        continue
      }
      for option in command.options where !option.isRequired {
        let value = try option.value.map { [try Self.sample(of: $0.form, named: option.flag)] } ?? []
        guard case .request(let changed, _) = try parser.parse(line + [Word(option.flag)] + value) else {
          Issue.record("\(location.path) \(option.flag) asks for no command")
          continue
        }
        #expect(AnyHashable(changed) != AnyHashable(plain), "\(location.path) does not read \(option.flag)")
      }
    }
  }

  /// A word that a value of this form may be, and that no option has as its default.
  private static func sample(of form: ValueForm, named name: String) throws -> Word {
    let words = form.candidates.map { Word($0.value) }.reversed() + ["7", "8h", "bob"]
    return try #require(words.first(where: form.accepts), "no sample word is accepted for \(name)")
  }

  @Test("every command can end with the statuses that parsing and printing give, in order")
  func statuses() {
    for location in tool.locations {
      let codes = location.command.statuses
      #expect(codes == codes.sorted() && Set(codes).count == codes.count)
      #expect(codes.contains(AuthMessages.ExitStatus.usage.rawValue))
      if location.command.request != nil { #expect(codes.contains(0) && codes.contains(3), "\(location.path)") }
    }
    #expect(tool.about.statuses.map { $0.code } == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test("every command, option and variable is in the help, the manual page and the completions")
  func documentedEverywhere() throws {
    let help = Help(tool, width: 80)
    let manual = Manual(tool).page
    let scripts = Shell.allCases.map { (shell: $0, text: Completions(tool).script(for: $0)) }
    for location in tool.locations {
      let page = try help.page(location.path)
      #expect(manual.contains(".Ss \(location.path.joined(separator: " "))"))
      for option in location.command.options + tool.allGlobalOptions {
        #expect(page.contains(option.usage), "\(location.path) \(option.flag)")
        #expect(manual.contains("Fl \\-\(Roff.text(option.long))"), "\(option.flag)")
        for script in scripts {
          let spelling = script.shell == .fish ? "-l \(option.long)" : option.flag
          #expect(script.text.contains(spelling), "\(script.shell) \(option.flag)")
        }
      }
      for name in location.command.names {
        for script in scripts { #expect(script.text.contains(name), "\(script.shell) \(name)") }
      }
    }
    for name in tool.commands.flatMap(\.names) { #expect(help.overview.contains(name)) }
    for entry in tool.about.glossaries.flatMap(\.entries) {
      #expect(manual.contains(Roff.text(entry.term)), "\(entry.term)")
    }
    for variable in (tool.allGlobalOptions + tool.locations.flatMap(\.command.options)).compactMap(\.environment) {
      #expect(tool.about.glossaries.flatMap(\.entries).contains { $0.term == variable }, "\(variable)")
    }
  }

  /// The words of an example up to the first operator of the shell.
  static func words(_ line: String) -> [Word] {
    var words: [String] = []
    var current: String?
    var quoted = false
    for character in line {
      switch character {
      case "'":
        quoted.toggle()
        current = current ?? ""
      case " " where !quoted:
        if let word = current { words.append(word) }
        current = nil
      case _: current = (current ?? "") + String(character)
      }
    }
    if let word = current { words.append(word) }
    return words.prefix { !["<", ">", "|", "&&"].contains($0) }.map { Word($0) }
  }
}
