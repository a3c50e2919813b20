/// A shell with completions.
package enum Shell: String, Choice {
  case bash
  case zsh
  case fish

  package var summary: String { "completions for \(rawValue)" }
}

/// Shell completions from the table of commands.
///
/// A shell's script asks the program at each completion, as those of cobra and click do. So the
/// place in the line is found by the parser alone, and an installed script is never out of date.
package struct Completions<Request: Sendable>: Sendable {
  package let tool: Tool<Request>

  package init(_ tool: Tool<Request>) {
    self.tool = tool
  }

  /// What may be in the place of the last word of an unfinished line.
  package struct Offers: Sendable {
    /// What is expected there, in a word or two.
    package let title: String
    /// The words that fit, with their meanings; a caller adds those of ``listedBy``.
    package var words: [Suggestion]
    /// The words of a command of the program that prints more of them, one per line.
    package var listedBy: String?
    /// The beginning of the last word that every offer continues: an option with its equals sign.
    package var prefix = ""
  }

  /// The offers for the last of `words`, which follow the program's name.
  package func offers(for words: [Word]) -> Offers {
    let current = words.last?.text ?? ""
    let line = TypedLine(words.dropLast(), tool)
    let isLiteral = words.dropLast().contains { $0.isSpelled("--") }
    if let open = line.options.last, case .missing(saw: nil) = open.value, let value = open.declaration?.value {
      return offers(value)
    }
    let options = (line.command?.options ?? []) + tool.allGlobalOptions
    if !isLiteral, current.hasPrefix("-") {
      if let equals = current.firstIndex(of: "=") {
        let option = options.first { $0.spellings.contains(String(current[..<equals])) }
        var offers = option?.value.map { self.offers($0) } ?? Offers(title: "value", words: [])
        offers.prefix = String(current[...equals])
        return offers
      }
      return Offers(title: "option", words: options.flatMap { option in option.spellings.map { ($0, option.summary) } })
    }
    let arguments = line.command?.arguments ?? []
    let next = arguments.dropFirst(line.arguments.count).first ?? arguments.last { $0.arity == .any }
    var offers =
      next.map { self.offers(.init(name: $0.name, form: $0.form)) } ?? Offers(title: "command", words: [])
    if line.arguments.isEmpty, !isLiteral {
      offers.words = Self.offers(line.command?.subcommands ?? tool.commands) + offers.words
    }
    return offers
  }

  private func offers(_ value: OptionDeclaration.Value) -> Offers {
    let commands = value.form.offersCommands ? Self.offers(tool.commands) : []
    return Offers(
      title: value.name.lowercased(), words: value.form.candidates + commands, listedBy: value.form.listedBy)
  }

  private static func offers(_ commands: [Command<Request>]) -> [Suggestion] {
    commands.flatMap { command in command.names.map { ($0, command.summary) } }
  }

  /// The words of a line as `shell` hands them over: bash splits them at equals signs.
  package func words(_ words: [Word], from shell: Shell) -> [Word] {
    guard shell == .bash else { return words }
    return words.filter { !$0.isSpelled("=") } + (words.last?.isSpelled("=") == true ? [""] : [])
  }

  /// The offers as the script of `shell` reads them, one per line.
  ///
  /// Only bash does not select those that continue the last word; `zsh` takes the title first.
  package func text(_ offers: Offers, continuing last: Word?, for shell: Shell) -> String {
    let words = offers.words.map { (value: offers.prefix + $0.value, summary: $0.summary) }
    let lines =
      switch shell {
      case .bash: words.map(\.value).filter { $0.hasPrefix(last?.text ?? "") }
      case .fish: words.map { $0.value + ($0.summary.isEmpty ? "" : "\t" + $0.summary) }
      case .zsh:
        [offers.title]
          + words.map { $0.value.replacing(":", with: "\\:") + ($0.summary.isEmpty ? "" : ":" + $0.summary) }
      }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A script that the shell sources or loads.
  package func script(for shell: Shell) -> String {
    let function = "_" + tool.name.replacing("-", with: "_")
    let ask = "\(tool.name) completions \(shell) --"
    let lines =
      switch shell {
      case .bash:
        // For bash 4 and later, without the bash-completion package.
        """
        \(function)() {
          mapfile -t COMPREPLY < <(\(ask) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
        }
        complete -F \(function) \(tool.name)
        """
      case .fish:
        "complete -c \(tool.name) -f -a '(\(ask) (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'"
      case .zsh:
        // For a directory in `fpath`; a shell can also source it.
        """
        \(function)() {
          local -a offers=("${(@f)$(\(ask) "${(@)words[2,CURRENT]}" 2>/dev/null)}")
          local title=$offers[1]
          shift offers
          if (( $#offers )); then _describe "$title" offers; else _message "$title"; fi
        }
        if [[ $funcstack[1] == \(function) ]]; then \(function) "$@"; else compdef \(function) \(tool.name); fi
        """
      }
    let head = "# \(shell) completions for \(tool.name) \(tool.about.version)\n"
    return (shell == .zsh ? "#compdef \(tool.name)\n" : "") + head + lines + "\n"
  }
}
