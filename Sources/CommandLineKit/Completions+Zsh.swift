import TextFormat

extension Completions {
  /// The script for zsh: a file for a directory in `fpath`, which a shell can also source.
  package var zsh: String {
    let valued = valuedOptions.flatMap(\.spellings).joined(separator: "|")
    var lines = [
      "#compdef \(tool.name)",
      "# zsh completions for \(tool.name) \(tool.about.version)",
      "\(function)() {",
      "  local place= skip= word= option=",
      "  local -a offers options",
      "  for word in \"${(@)words[2,CURRENT-1]}\"; do",
      "    option=",
      "    if [[ -n $skip ]]; then skip=; continue; fi",
      "    case $word in",
      "      (--) return 1 ;;",
      "      (\(valued)) skip=1; option=$word ;;",
      "      (-*) ;;",
      "      (*)",
      "        case \"${place:+$place }$word\" in",
    ]
    for place in places where !place.ways.isEmpty {
      let ways = place.ways.map(ShellQuoting.posix).joined(separator: "|")
      lines.append("          (\(ways)) place=\(ShellQuoting.posix(place.key)) ;;")
    }
    lines += [
      "        esac ;;", "    esac", "  done",
      "  if [[ -z $skip && $PREFIX == --*=* ]]; then", "    option=${PREFIX%%=*}", "    compset -P '*='", "    skip=1",
      "  fi",
      "  if [[ -n $skip ]]; then", "    case $option in",
    ]
    for option in valuedOptions {
      let offers = option.value.map { self.offers($0.form) } ?? []
      let name = (option.value?.name ?? "").lowercased()
      let lister = option.value.flatMap { self.lister($0.form) }
      let describe = "_describe \(ShellQuoting.posix(name)) offers"
      let action: String
      if let lister {
        action = "offers=(${(f)\"$(\(lister))\"}); \(describe)"
      } else if offers.isEmpty {
        action = "_message \(ShellQuoting.posix(name))"
      } else {
        action = "offers=(\(described(offers))); \(describe)"
      }
      lines.append("      (\(option.spellings.joined(separator: "|"))) \(action) ;;")
    }
    lines += ["    esac", "    return", "  fi", "  case $place in"]
    for place in places {
      let options: [Suggestion] = place.options.flatMap { option in
        option.spellings.map { ($0, option.summary) }
      }
      lines += [
        "    (\(ShellQuoting.posix(place.key)))",
        "      offers=(\(described(place.commands + place.values))\(place.listers.map { " ${(f)\"$(\($0))\"}" }.joined()))",
        "      options=(\(described(options))) ;;",
      ]
    }
    lines += [
      "  esac", "  if [[ $PREFIX == -* ]]; then", "    _describe -o option options",
      "  elif (( $#offers )); then", "    _describe command offers", "  fi", "}",
      "if [[ $funcstack[1] == \(function) ]]; then", "  \(function) \"$@\"", "else",
      "  compdef \(function) \(tool.name)",
      "fi",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Words with their summaries, as `_describe` takes them.
  private func described(_ offers: [Suggestion]) -> String {
    offers.map { offer in
      let word = offer.value.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
      return ShellQuoting.posix("\(word):\(offer.summary)")
    }.joined(separator: " ")
  }
}
