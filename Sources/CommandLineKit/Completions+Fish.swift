import TextFormat

extension Completions {
  /// The script for fish 3 and later.
  package var fish: String {
    let at = "_\(function)_at"
    let valued = valuedOptions.flatMap(\.spellings).joined(separator: " ")
    var lines = [
      "# fish completions for \(tool.name) \(tool.about.version)",
      "function \(at) --description 'Whether the line is at this place'",
      "  set -l place ''",
      "  set -l skip 0",
      "  for word in (commandline -opc)[2..]",
      "    if test $skip = 1; set skip 0; continue; end",
      "    switch $word",
      "      case --; return 1",
      "      case \(valued); set skip 1",
      "      case '-*'",
      "      case '*'",
      "        switch (string trim -- \"$place $word\")",
    ]
    for place in places where !place.ways.isEmpty {
      let ways = place.ways.map(ShellQuoting.fish).joined(separator: " ")
      lines.append("          case \(ways); set place \(ShellQuoting.fish(place.key))")
    }
    lines += [
      "        end", "    end", "  end", "  test \"$place\" = \"$argv[1]\"", "end", "complete -c \(tool.name) -f",
    ]
    for option in tool.allGlobalOptions { lines.append(line(option, condition: nil)) }
    let global = Set(tool.allGlobalOptions.map(\.long))
    for place in places {
      let condition = "\(at) \(ShellQuoting.posix(place.key))"
      for offer in place.commands + place.values {
        lines.append(
          "complete -c \(tool.name) -n \(ShellQuoting.fish(condition)) -a \(ShellQuoting.fish(offer.value)) "
            + "-d \(ShellQuoting.fish(offer.summary))")
      }
      for lister in place.listers {
        lines.append(
          "complete -c \(tool.name) -n \(ShellQuoting.fish(condition)) -a \(ShellQuoting.fish("(\(lister))"))")
      }
      for option in place.options where !global.contains(option.long) {
        lines.append(line(option, condition: condition))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ option: OptionDeclaration, condition: String?) -> String {
    var line = "complete -c \(tool.name)"
    if let condition { line += " -n \(ShellQuoting.fish(condition))" }
    line += " -l \(option.long)"
    if let short = option.short { line += " -s \(short)" }
    if let value = option.value {
      line += " -x"
      let words = offers(value.form).map { $0.value }
      if let lister = lister(value.form) { line += " -a \(ShellQuoting.fish("(\(lister))"))" }
      if !words.isEmpty { line += " -a \(ShellQuoting.fish(words.joined(separator: " ")))" }
    }
    return line + " -d \(ShellQuoting.fish(option.summary))"
  }
}
