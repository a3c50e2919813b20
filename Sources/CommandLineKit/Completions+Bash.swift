import TextFormat

extension Completions {
  /// The script for bash 4 and later, without the bash-completion package.
  ///
  /// It offers words without their summaries.
  package var bash: String {
    let valued = valuedOptions.flatMap(\.spellings).joined(separator: "|")
    var lines = [
      "# bash completions for \(tool.name) \(tool.about.version)",
      "\(function)() {",
      "  local current=${COMP_WORDS[COMP_CWORD]} previous= place= skip= word= offers= i",
      "  # An option and its value may be split at the equals sign.",
      "  if (( COMP_CWORD > 0 )); then previous=${COMP_WORDS[COMP_CWORD-1]}; fi",
      "  if [[ $current == = ]]; then current=",
      "  elif [[ $previous == = ]] && (( COMP_CWORD > 1 )); then previous=${COMP_WORDS[COMP_CWORD-2]}; fi",
      "  COMPREPLY=()",
      "  for (( i = 1; i < COMP_CWORD; i++ )); do",
      "    word=${COMP_WORDS[i]}",
      "    if [[ $word == = ]]; then skip=1; continue; fi",
      "    if [[ -n $skip ]]; then skip=; continue; fi",
      "    case $word in",
      "      --) return ;;",
      "      \(valued)) skip=1 ;;",
      "      -*) ;;",
      "      *)",
      "        case \"${place:+$place }$word\" in",
    ]
    for place in places where !place.ways.isEmpty {
      let ways = place.ways.map(ShellQuoting.posix).joined(separator: "|")
      lines.append("          \(ways)) place=\(ShellQuoting.posix(place.key)) ;;")
    }
    lines += ["        esac ;;", "    esac", "  done", "  case $previous in"]
    for option in valuedOptions {
      let offers = option.value.map { self.offers($0.form) } ?? []
      let lister = option.value.flatMap { self.lister($0.form) }
      lines.append(
        "    \(option.spellings.joined(separator: "|"))) \(bashReply(offers.map { $0.value }, lister)); return ;;")
    }
    lines += ["  esac", "  if [[ $current == -* ]]; then", "    case $place in"]
    for place in places {
      lines.append("      \(ShellQuoting.posix(place.key))) offers=\(words(place.options.flatMap(\.spellings))) ;;")
    }
    lines += ["    esac", "  else", "    case $place in"]
    for place in places {
      lines.append(
        "      \(ShellQuoting.posix(place.key))) offers=\(words((place.commands + place.values).map { $0.value }))"
          + place.listers.map { "\" $(\($0))\"" }.joined() + " ;;")
    }
    lines += [
      "    esac", "  fi", "  COMPREPLY=($(compgen -W \"$offers\" -- \"$current\"))", "}",
      "complete -F \(function) \(tool.name)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func words(_ words: [String]) -> String {
    ShellQuoting.posix(words.joined(separator: " "))
  }

  private func bashReply(_ candidates: [String], _ lister: String?) -> String {
    if let lister { return "COMPREPLY=($(compgen -W \"$(\(lister))\" -- \"$current\"))" }
    return candidates.isEmpty ? "COMPREPLY=()" : "COMPREPLY=($(compgen -W \(words(candidates)) -- \"$current\"))"
  }
}
