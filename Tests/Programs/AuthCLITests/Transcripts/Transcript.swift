/// A scripted terminal session in the form of cram: what is typed, and what it should print.
///
/// Lines that begin with `  $ ` are commands, `  > ` continues one, other lines indented by two
/// spaces are expected output with `[status]` last when it is not 0, and everything else is prose.
/// The rules are those of cram 0.7, so that it runs the same files.
struct Transcript {
  let name: String
  /// Every line of the file, without its line ending.
  let lines: [String]

  init(name: String, contents: String) {
    self.name = name
    let lines = contents.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    self.lines = lines.last == "" ? lines.dropLast() : lines
  }

  /// What the shell is fed.
  ///
  /// Before each command it prints `salt`, the number of the command's line, and the status of the
  /// one before.
  func script(salt: String) -> String {
    var script = ""
    for (number, line) in lines.enumerated() {
      let isCommand = line.hasPrefix(Self.command)
      if isCommand { script += "echo \(salt) \(number) $?\n" }
      if isCommand || line.hasPrefix(Self.continuation) { script += line.dropFirst(Self.command.count) + "\n" }
    }
    return script + "echo \(salt) \(lines.count) $?\n"
  }

  /// The file as it would read had it expected exactly `output`, and whether the shell came to the
  /// end of it.
  func replay(output: [UInt8], salt: String) -> (lines: [String], reachedEnd: Bool) {
    var kept = keptLines()
    var replayed: [String] = []
    var position = -1
    for var line in OutputLine.split(output) {
      let numbers = line.cut(before: "\(salt) ")
      if let visible = line.visible { replayed.append(Self.indent + visible) }
      guard let numbers, numbers.count == 2 else { continue }
      if numbers[1] != 0 { replayed.append("\(Self.indent)[\(numbers[1])]") }
      replayed += kept.removeValue(forKey: position) ?? []
      position = numbers[0]
    }
    return (replayed + (kept[position] ?? []), position == lines.count)
  }

  /// The lines that no output replaces, by the command whose output they follow (-1 before the
  /// first): prose, and the next command.
  private func keptLines() -> [Int: [String]] {
    var kept: [Int: [String]] = [:]
    var (position, previous) = (-1, -1)
    for (number, line) in lines.enumerated() {
      if line.hasPrefix(Self.command) {
        kept[position, default: []].append(line)
        (previous, position) = (position, number)
      } else if line.hasPrefix(Self.continuation) {
        kept[previous, default: []].append(line)
      } else if !line.hasPrefix(Self.indent) {
        kept[position, default: []].append(line)
      }
    }
    return kept
  }

  private static let indent = "  "
  private static let command = "  $ "
  private static let continuation = "  > "
}
