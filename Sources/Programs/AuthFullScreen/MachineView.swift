import AuthCore
import CommandLineKit

/// The Machine tab: the state of the session machine, its possible next states, and its last
/// events.
final class MachineView: Sendable {
  /// An event and its time, such as `10:30:00`; empty if the time is unknown.
  typealias Step = (asked: MachineStep, time: String)

  let present: SessionState.Kind
  /// A line for each state that the machine can go to from the current one.
  private let ways: [String]
  /// The last steps of the machine, the newest last.
  private let steps: [Step]
  /// The last step that led from one state to another.
  private let lastMovement: Step?
  /// The indices of the states from which an arrow leads to each state.
  private let arrows: [[Int]]

  init(present: SessionState.Kind, events: (_ from: String, _ to: String) -> [String], steps: [Step]) {
    self.present = present
    self.steps = steps
    lastMovement = steps.last { $0.asked.from != $0.asked.to }
    let kinds = SessionState.Kind.allCases
    arrows = kinds.map { to in
      kinds.indices.filter { kinds[$0] != to && !events(kinds[$0].rawValue, to.rawValue).isEmpty }
    }
    ways = kinds.compactMap { to in
      let events = events(present.rawValue, to.rawValue)
      return events.isEmpty ? nil : "▶ \(to.rawValue) on " + events.joined(separator: ", ")
    }
  }

  /// The states from top to bottom, the current one marked; in boxes if there is room.
  func states(boxed: Bool) -> [AppNotice] {
    let kinds = SessionState.Kind.allCases
    let width = kinds.map(\.rawValue.utf8.count).max() ?? 0
    let bar = String(repeating: "─", count: width + 2)
    var lines = boxed ? [AppNotice("    ┌\(bar)┐")] : []
    for kind in kinds {
      let name = DisplayWidth.pad(kind.rawValue, to: width)
      let mark = kind == present ? "now " : kind == lastMovement?.asked.from ? "was " : "    "
      lines.append(AppNotice(mark + (boxed ? "│ \(name) │" : name), kind == present ? .strong : .plain))
      if boxed { lines.append(AppNotice(kind == kinds.last ? "    └\(bar)┘" : "    ├\(bar)┤")) }
    }
    return lines
  }

  /// Whether the machine is in this state or can go to it from the current one.
  private func isNext(_ kind: SessionState.Kind) -> Bool {
    let kinds = SessionState.Kind.allCases
    guard kind != present, let from = kinds.firstIndex(of: present), let to = kinds.firstIndex(of: kind) else {
      return true
    }
    return arrows[to].contains(from)
  }

  /// The lines of wires by the strokes to the four sides of a cell: none, light or heavy; up counts
  /// 1, down 3, left 9 and right 27.
  static let signs = Array(
    " ╵╹╷│╿╻╽┃╴┘┚┐┤┦┒┧┨╸┙┛┑┥┩┓┪┫╶└┖┌├┞┎┟┠─┴┸┬┼╀┰╁╂╾┵┹┭┽╃┱╅╉╺┕┗┍┝┡┏┢┣╼┶┺┮┾╄┲╆╊━┷┻┯┿╇┳╈╋")

  /// The states with an arrow for each transition, each line in parts of one style.
  ///
  /// The transitions of a state start beside its name, and run to the lanes of the states that they
  /// lead to (`┼` joins, `│` does not); each lane ends above its state.
  ///
  /// Those of the current state are heavy and bold; the others are faint, and so are states that
  /// cannot be next.
  func diagram() -> [[AppNotice]] {
    let boxes = states(boxed: true)
    // The sides to which a line leads from each cell, as bits.
    let (up, down, left, right) = (1, 2, 4, 8)
    var grid = [[Int]](repeating: [Int](repeating: 0, count: 3 * arrows.count + 1), count: boxes.count)
    let lanes = arrows.indices.filter { !arrows[$0].isEmpty }
      .map { state in (end: 2 * state, rows: (arrows[state].map { 2 * $0 + 1 } + [2 * state]).sorted()) }
    for (lane, (_, rows)) in lanes.enumerated() {
      let (first, last) = (rows[0], rows[rows.count - 1])
      for row in first...last { grid[row][3 + 3 * lane] = (row > first ? up : 0) | (row < last ? down : 0) }
    }
    for (lane, (_, rows)) in lanes.enumerated() {
      for row in rows {
        // Cross other lanes without joining them, and continue through the joints of this row.
        for column in 1..<(3 + 3 * lane) where grid[row][column] == 0 || grid[row][column] & left != 0 {
          grid[row][column] |= left | right
        }
        grid[row][3 + 3 * lane] |= left
      }
    }
    let kinds = SessionState.Kind.allCases
    // The same bits, of the wires that leave the current state.
    var heavy = grid.map { row in row.map { _ in 0 } }
    let start = 2 * (kinds.firstIndex(of: present) ?? 0) + 1
    for (lane, (end, rows)) in lanes.enumerated() where rows.contains(start) {
      let (first, last) = (min(start, end), max(start, end))
      for row in first...last { heavy[row][3 + 3 * lane] |= (row > first ? up : 0) | (row < last ? down : 0) }
      for row in [start, end] {
        for column in 1..<(3 + 3 * lane) where grid[row][column] & left != 0 { heavy[row][column] |= left | right }
        heavy[row][3 + 3 * lane] |= left
      }
    }
    return boxes.enumerated().map { row, box in
      let isNext = row.isMultiple(of: 2) || isNext(kinds[row / 2])
      var parts = [AppNotice(box.text, isNext ? box.style : .faint)]
      let isEnd = lanes.contains { $0.end == row }
      for (column, (light, heavy)) in zip(grid[row], heavy[row]).enumerated() {
        func value(_ side: Int) -> Int { (light & side != 0 ? 1 : 0) + (heavy & side != 0 ? 1 : 0) }
        let sign =
          isEnd && column == 1 ? "◀" : Self.signs[value(up) + 3 * value(down) + 9 * value(left) + 27 * value(right)]
        let style: CellStyle = heavy != 0 ? .strong : .faint
        if let last = parts.last, sign == " " || parts.count > 1 && last.style == style {
          parts[parts.count - 1] = AppNotice(last.text + String(sign), last.style)
        } else {
          parts.append(AppNotice(String(sign), style))
        }
      }
      return parts
    }
  }

  /// Lays the tab out in a room; without enough room for the states beside the words, all of it is
  /// one column, with the current state first if there are few rows.
  func layout(columns: Int, height: Int) -> MachineLayout {
    let states = states(boxed: false)
    guard columns >= 60, states.count <= height else {
      let words = words(width: columns)
      if states.count + 3 < height { return MachineLayout(lines: states + [.blank] + words) }
      let current = states.filter { $0.style == .strong } + (height > 4 ? [.blank] : [])
      return MachineLayout(lines: current + words + [.blank, AppNotice("All states", .faint)] + states)
    }
    let boxed = columns >= 100 ? diagram() : self.states(boxed: true).map { [$0] }
    let fixed = boxed.count <= height ? boxed : states.map { [$0] }
    let width = fixed.map { line in line.reduce(0) { $0 + DisplayWidth.columns($1.text) } }.max() ?? 0
    return MachineLayout(states: fixed, lines: words(width: columns - width - 2), column: width + 2)
  }

  /// The possible next events, and the last events, the newest first.
  private func words(width: Int) -> [AppNotice] {
    func wrap(_ text: String, _ style: CellStyle) -> [AppNotice] { AppNotice.wrap(text, style, width: width) }
    var lines: [AppNotice] = []
    if let (step, time) = lastMovement {
      lines += wrap("The last movement" + (time.isEmpty ? "" : " at " + time), .faint)
      lines += wrap("\(step.from.rawValue) ── \(step.event) ──▶ \(step.to.rawValue)", .strong) + [.blank]
    }
    lines += wrap("From \(present.rawValue) it can go to", .faint) + ways.flatMap { wrap($0, .plain) }
    lines += [.blank] + wrap("What happened, the latest first", .faint)
    for (step, time) in steps.reversed() {
      let course =
        switch step.answer {
        case .transition where step.from == step.to: "stays \(step.to.rawValue)"
        case .transition: "\(step.from.rawValue) ▶ \(step.to.rawValue)"
        case .ignored(.renewedRecently): "too soon after the last renewal"
        case .rejected(.renewalsFailed): "too soon after failed renewals"
        case .rejected: "not while \(step.from.rawValue)"
        case .ignored: "no effect while \(step.from.rawValue)"
        }
      let line = (time.isEmpty ? "" : time + "  ") + "\(DisplayWidth.pad(step.event, to: 14))  \(course)"
      let fits = DisplayWidth.columns(line) <= width
      lines += AppNotice.lines(fits ? [line] : [step.event] + Paragraph.wrap(course, width: width, indent: 2))
    }
    let explanation = "'not' and 'no effect' are not errors: every state handles every event."
    return lines + [.blank] + wrap(explanation, .faint)
  }
}

/// The positions of the parts of the Machine tab.
struct MachineLayout {
  /// The states at the left, which stay in place; each line in parts of one style.
  var states: [[AppNotice]] = []
  /// The lines that scroll.
  let lines: [AppNotice]
  /// The first column of the lines.
  var column = 0
}
