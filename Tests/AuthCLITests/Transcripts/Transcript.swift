/// A scripted terminal session in the form of cram: what is typed, and what it should print.
///
/// Lines that begin with `  $ ` are commands, `  > ` continues one, other lines indented by two
/// spaces are expected output with `[status]` last when it is not 0, and everything else is prose.
/// The rules are those of cram 0.7, so that it runs the same files.
struct Transcript {
  typealias Line = [UInt8]

  let name: String
  /// Every line of the file, without its line ending.
  let lines: [Line]

  init(name: String, contents: [UInt8]) {
    self.name = name
    var lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Line.init)
    if lines.last == [] { lines.removeLast() }
    self.lines = lines
  }

  /// What the shell is fed.
  ///
  /// Before each command it prints `salt`, the number of the command's line, and the status of the
  /// one before.
  func script(salt: String) -> [UInt8] {
    var script: [UInt8] = []
    for (number, line) in lines.enumerated() {
      if line.starts(with: Self.command) {
        script += "echo \(salt) \(number) $?\n".utf8
        script += line.dropFirst(Self.command.count) + [UInt8(ascii: "\n")]
      } else if line.starts(with: Self.continuation) {
        script += line.dropFirst(Self.continuation.count) + [UInt8(ascii: "\n")]
      }
    }
    return script + "echo \(salt) \(lines.count) $?\n".utf8
  }

  /// The file as it would read had it expected exactly `output`, and whether the shell came to the
  /// end of it.
  func replay(output: [UInt8], salt: String) -> (lines: [Line], reachedEnd: Bool) {
    var kept = keptLines()
    var replayed: [Line] = []
    var position = -1
    for var line in OutputLine.split(output) {
      let marker = line.remove(after: Array("\(salt) ".utf8))
      if let visible = line.visible { replayed.append(Self.indent + visible) }
      guard let marker else { continue }
      let numbers = String(decoding: marker, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { continue }
      if numbers[1] != 0 { replayed.append(Self.indent + Array("[\(numbers[1])]".utf8)) }
      replayed += kept.removeValue(forKey: position) ?? []
      position = numbers[0]
    }
    return (replayed + (kept[position] ?? []), position == lines.count)
  }

  /// The lines that no output replaces, by the command whose output they follow (-1 before the
  /// first): prose, and the next command.
  private func keptLines() -> [Int: [Line]] {
    var kept: [Int: [Line]] = [:]
    var (position, previous) = (-1, -1)
    for (number, line) in lines.enumerated() {
      if line.starts(with: Self.command) {
        kept[position, default: []].append(line)
        (previous, position) = (position, number)
      } else if line.starts(with: Self.continuation) {
        kept[previous, default: []].append(line)
      } else if !line.starts(with: Self.indent) {
        kept[position, default: []].append(line)
      }
    }
    return kept
  }

  private static let indent = Array("  ".utf8)
  private static let command = Array("  $ ".utf8)
  private static let continuation = Array("  > ".utf8)
}
