/// A shell with completions.
package enum Shell: String, Choice {
  case bash
  case zsh
  case fish

  package var summary: String { "completions for \(rawValue)" }

  /// The words of a line as the shell hands them over: bash splits them at equals signs, and
  /// addresses at colons.
  package func words(_ words: [Word]) -> [Word] {
    guard self == .bash else { return words }
    var whole: [Word] = []
    var isAddress = false
    for word in words where !word.isSpelled("=") {
      let isColon = word.isSpelled(":")
      if isAddress || isColon, let start = whole.last, start.bytes.first != UInt8(ascii: "-") {
        whole[whole.count - 1] = Word(bytes: start.bytes + word.bytes)
        isAddress = isColon
      } else {
        whole.append(word)
        isAddress = false
      }
    }
    return whole + (words.last?.isSpelled("=") == true ? [""] : [])
  }
}

/// The possible values of the last word of an unfinished line.
package struct Completions: Sendable {
  /// The expected kind of value, in a word or two.
  let title: String
  /// The words that fit, with their meanings; a caller adds those of ``listedBy``.
  package var words: [Suggestion]
  /// The words of a command of the program that prints more of them, one per line.
  package private(set) var listedBy: String?
  /// Whether the shell offers its files.
  package private(set) var areFiles = false
  /// The start of the last word before each of them: an option with its equals sign.
  fileprivate(set) var prefix = ""

  /// The completions as the script of `shell` reads them, one per line.
  ///
  /// bash gets only those that continue the last word; the other shells select them. `zsh` reads
  /// the title first. If files can stand there, the text is a slash, and the script lets the shell
  /// complete files.
  package func text(continuing last: Word?, for shell: Shell) -> String {
    if areFiles { return "/\n" }
    let words = words.map { (value: prefix + $0.value, summary: $0.summary) }
    let lines =
      switch shell {
      case .bash: words.map(\.value).filter { $0.hasPrefix(last?.text ?? "") }
      case .fish: words.map { $0.value + ($0.summary.isEmpty ? "" : "\t" + $0.summary) }
      case .zsh:
        [title] + words.map { $0.value.replacing(":", with: "\\:") + ($0.summary.isEmpty ? "" : ":" + $0.summary) }
      }
    return lines.map { $0 + "\n" }.joined()
  }
}

// A shell's script asks the program at each completion, as those of cobra and click do. So the
// place in the line is found by the parser alone, and an installed script is never out of date.
extension Tool {
  /// The completions of the last of `words`, which follow the program's name.
  package func completions(of words: [Word]) -> Completions {
    let current = words.last?.text ?? ""
    let line = TypedLine(words.dropLast(), self)
    let isLiteral = words.dropLast().contains { $0.isSpelled("--") }
    if let open = line.options.last, case .missing(saw: nil) = open.value, let value = open.declaration?.value {
      return completions(of: value)
    }
    let options = (line.command?.options ?? []) + allGlobalOptions
    if !isLiteral, current.hasPrefix("-") {
      guard let equals = current.firstIndex(of: "=") else {
        return Completions(
          title: "option", words: options.flatMap { option in option.spellings.map { ($0, option.summary) } })
      }
      let option = options.first { $0.spellings.contains(String(current[..<equals])) }
      var completions = option?.value.map { self.completions(of: $0) } ?? Completions(title: "value", words: [])
      completions.prefix = String(current[...equals])
      return completions
    }
    let arguments = line.command?.arguments ?? []
    let next = arguments.dropFirst(line.arguments.count).first ?? arguments.last { $0.arity.takesRest }
    var completions =
      next.map { self.completions(of: .init(name: $0.name, form: $0.form)) } ?? Completions(title: "command", words: [])
    if line.arguments.isEmpty, !isLiteral {
      completions.words = Self.names(line.command?.subcommands ?? commands) + completions.words
    }
    return completions
  }

  private func completions(of value: OptionDeclaration.Value) -> Completions {
    let topics = value.form.offersTopics ? Help(self, width: 80).topics + Self.names(commands) : []
    return Completions(
      title: value.name.lowercased(), words: value.form.candidates + value.form.examples + topics,
      listedBy: value.form.listedBy, areFiles: value.form.offersFiles)
  }

  private static func names(_ commands: [Command<Request>]) -> [Suggestion] {
    commands.flatMap { command in command.names.map { ($0, command.summary) } }
  }

  /// A script that the shell sources or loads.
  package func completionScript(for shell: Shell) -> String {
    let function = "_" + name.replacing("-", with: "_")
    // `command` passes by an alias and a function of this name, which may do something else.
    let ask = "command \(name) completions \(shell) --"
    let lines =
      switch shell {
      case .bash:
        // For bash 4 and later, without the bash-completion package.
        """
        \(function)() {
          mapfile -t COMPREPLY < <(\(ask) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
          if [[ ${COMPREPLY[0]-} == / ]]; then COMPREPLY=(); compopt -o default; fi
        }
        complete -F \(function) \(name)
        """
      case .fish:
        """
        function _\(function)
          set -l offers (\(ask) (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
          if test "$offers" = /
            set -l last (commandline -ct)
            set -l option (string match -r -- '^-[^=]*=' $last)
            printf '%s\\n' "$option"(__fish_complete_path (string replace -- "$option" '' $last))
          else if set -q offers[1]
            printf '%s\\n' $offers
          end
        end
        complete -c \(name) -f -a '(_\(function))'
        """
      case .zsh:
        // For a directory in `fpath`, where the name of the file is that of the function that loads
        // it; a shell can also source it.
        """
        \(function)() {
          local -a offers=("${(@f)$(\(ask) "${(@)words[2,CURRENT]}" 2>/dev/null)}")
          local title=$offers[1]
          if [[ $title == / ]]; then compset -P '-*='; _files; return; fi
          shift offers
          if (( $#offers )); then _describe "$title" offers; else _message "$title"; fi
        }
        if [[ $funcstack[1] == _\(name) ]]; then \(function) "$@"; else compdef \(function) \(name); fi
        """
      }
    let head = "# \(shell) completions for \(name) \(about.version)\n"
    return (shell == .zsh ? "#compdef \(name)\n" : "") + head + lines + "\n"
  }
}
