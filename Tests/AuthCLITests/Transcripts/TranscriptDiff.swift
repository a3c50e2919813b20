/// Expected and actual lines side by side.
struct TranscriptDiff {
  private enum Row {
    case same(expected: [UInt8])
    case missing([UInt8])
    case unexpected([UInt8])
  }

  /// The lines that happened.
  let actual: [[UInt8]]
  private let rows: [Row]

  init(expected: [[UInt8]], actual: [[UInt8]]) {
    let difference = actual.difference(from: expected) { LinePattern($0).matches($1) }
    let removed = Set(difference.removals.map(Self.offset))
    let inserted = Set(difference.insertions.map(Self.offset))
    var rows: [Row] = []
    var (old, new) = (0, 0)
    while old < expected.count || new < actual.count {
      if removed.contains(old) {
        rows.append(.missing(expected[old]))
        old += 1
      } else if inserted.contains(new) {
        rows.append(.unexpected(actual[new]))
        new += 1
      } else {
        rows.append(.same(expected: expected[old]))
        (old, new) = (old + 1, new + 1)
      }
    }
    self.rows = rows
    self.actual = actual
  }

  var isEmpty: Bool {
    rows.allSatisfy { if case .same = $0 { true } else { false } }
  }

  /// The actual lines, with every expected line kept where it matched, pattern or not.
  var recorded: [[UInt8]] {
    rows.compactMap { row in
      switch row {
      case .same(let line), .unexpected(let line): line
      case .missing: nil
      }
    }
  }

  /// In unified form, with three lines of context.
  func unified(name: String) -> String {
    var text = "--- \(name)\n+++ \(name), as it ran\n"
    let changed = rows.indices.filter { if case .same = rows[$0] { false } else { true } }
    let shown = Set(changed.flatMap { $0 - 3...$0 + 3 })
    var (old, new) = (1, 1)
    for row in rows.indices {
      if shown.contains(row) && !shown.contains(row - 1) {
        let (oldCount, newCount) = counts(of: (row..<rows.endIndex).prefix(while: shown.contains))
        text += "@@ -\(old),\(oldCount) +\(new),\(newCount) @@\n"
      }
      let (mark, line) = Self.parts(of: rows[row])
      if shown.contains(row) { text += "\(mark)\(String(decoding: line, as: UTF8.self))\n" }
      if mark != "+" { old += 1 }
      if mark != "-" { new += 1 }
    }
    return text
  }

  private func counts(of hunk: some Sequence<Int>) -> (old: Int, new: Int) {
    var counts = (old: 0, new: 0)
    for row in hunk {
      let mark = Self.parts(of: rows[row]).mark
      if mark != "+" { counts.old += 1 }
      if mark != "-" { counts.new += 1 }
    }
    return counts
  }

  private static func parts(of row: Row) -> (mark: Character, line: [UInt8]) {
    switch row {
    case .same(let line): (" ", line)
    case .missing(let line): ("-", line)
    case .unexpected(let line): ("+", line)
    }
  }

  private static func offset(_ change: CollectionDifference<[UInt8]>.Change) -> Int {
    switch change {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
