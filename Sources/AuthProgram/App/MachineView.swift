import AuthCore
import CommandLineKit

/// The session machine at work: where it is, where it can go from there, and what it was asked
/// last.
final class MachineView: Sendable {
  let present: SessionState.Kind
  /// The ways out of the present state, as the machine itself answers.
  private let ways: [String]
  /// The latest last.
  let steps: [MachineStep]
  /// When each was, as `10:30:00`.
  private let times: [String]
  /// From which states an arrow leads to each state, by their places in the order of states.
  private let arrows: [[Int]]

  init(present: SessionState.Kind, table: MachineTable, steps: [MachineStep], times: [String] = []) {
    self.present = present
    self.steps = steps
    self.times = times
    let kinds = SessionState.Kind.allCases
    arrows = kinds.map { to in
      kinds.indices.filter { kinds[$0] != to && table.hasArrow(from: kinds[$0].rawValue, to: to.rawValue) }
    }
    ways = kinds.compactMap { to in
      let events = table.events(from: present.rawValue, to: to.rawValue)
      return events.isEmpty ? nil : "▶ \(to.rawValue)  on " + events.joined(separator: ", ")
    }
  }

  /// The states from top to bottom, the present one marked; in boxes where there is room.
  func states(boxed: Bool) -> [AppNotice] {
    let kinds = SessionState.Kind.allCases
    let width = kinds.map(\.rawValue.utf8.count).max() ?? 0
    let bar = String(repeating: "─", count: width + 2)
    var lines = boxed ? [AppNotice("    ┌\(bar)┐", .plain)] : []
    for kind in kinds {
      let isPresent = kind == present
      let name = DisplayWidth.pad(kind.rawValue, to: width)
      let mark = isPresent ? "now " : kind == lastMovement.map { steps[$0].from } ? "was " : "    "
      lines.append(
        AppNotice(mark + (boxed ? "│ \(name) │" : name), isPresent ? .strong : .plain))
      if boxed { lines.append(AppNotice(kind == kinds.last ? "    └\(bar)┘" : "    ├\(bar)┤", .plain)) }
    }
    return lines
  }

  /// The last step that led from one state to another.
  private var lastMovement: Int? { steps.lastIndex { $0.from != $0.to } }

  /// The states with an arrow for each way from one to another.
  ///
  /// What leaves a state leaves it beside its name, and runs to the lanes of the states that it can
  /// lead to (`┼` joins, `│` does not); each lane ends above its state.
  func diagram() -> [AppNotice] {
    let boxes = states(boxed: true)
    let kinds = SessionState.Kind.allCases
    var grid = [[Character]](repeating: [Character](repeating: " ", count: 3 * kinds.count + 1), count: boxes.count)
    let lanes = kinds.indices.filter { !arrows[$0].isEmpty }
    func column(_ lane: Int) -> Int { 3 + 3 * lane }
    func row(of state: Int) -> Int { 2 * state + 1 }
    /// Of the states that lead to a state, and of the end of its lane.
    func rows(to state: Int) -> [Int] { arrows[state].map(row) + [2 * state] }
    for (lane, state) in lanes.enumerated() {
      let rows = rows(to: state)
      for row in (rows.min() ?? 0)...(rows.max() ?? 0) { grid[row][column(lane)] = "│" }
    }
    func draw(_ row: Int, to end: Int, _ corner: Character) {
      for column in 1..<end where grid[row][column] == " " { grid[row][column] = "─" }
      grid[row][end] = corner
    }
    for (lane, state) in lanes.enumerated() {
      let (isAbove, isBelow) = (arrows[state].contains { $0 < state }, arrows[state].contains { $0 >= state })
      draw(2 * state, to: column(lane), isAbove && isBelow ? "┤" : isBelow ? "┐" : "┘")
      grid[2 * state][1] = "◀"
    }
    for source in kinds.indices {
      let ends = lanes.indices.filter { arrows[lanes[$0]].contains(source) }
      for lane in ends {
        let rows = rows(to: lanes[lane])
        let (isFirst, isLast) = (rows.min() == row(of: source), rows.max() == row(of: source))
        let goesOn = lane != ends.last
        let joint: Character =
          isFirst ? (goesOn ? "┬" : "┐") : isLast ? (goesOn ? "┴" : "┘") : goesOn ? "┼" : "┤"
        draw(row(of: source), to: column(lane), joint)
      }
    }
    return zip(boxes, grid).map { AppNotice($0.text + String($1), $0.style) }
  }

  /// What can happen next and what happened last, the latest first; about as many rows as there is
  /// room for.
  func words(width: Int, height: Int) -> [AppNotice] {
    let space = [AppNotice("", .plain)]
    var lines: [AppNotice] = []
    if let index = lastMovement {
      let step = steps[index]
      let words = "\(step.from.rawValue) ── \(step.event) ──▶ \(step.to.rawValue)"
      let fits = DisplayWidth.columns(words) <= width
      lines += AppNotice.wrap("The last movement" + time(index, " at "), .faint, width: width)
      lines += fits ? [AppNotice(words, .strong)] : AppNotice.wrap(words, .strong, width: width)
      lines += space
    }
    lines += AppNotice.wrap("From \(present.rawValue) it can go to", .faint, width: width)
    lines += ways.flatMap { AppNotice.wrap($0, width: width) }
    lines += space + AppNotice.wrap("What happened, the latest first", .faint, width: width)
    var legend =
      space
      + AppNotice.wrap(
        "'not' and 'no effect' are no faults: in every state the machine has an answer to every event.", .faint,
        width: width)
    // The latest steps matter more than the legend.
    if height < lines.count + legend.count + 3 { legend = [] }
    let room = max(0, height - lines.count - legend.count)
    for (index, step) in steps.enumerated().suffix(room).reversed() {
      let course =
        switch step.answer {
        case .transition where step.from == step.to: "stays \(step.to.rawValue)"
        case .transition: "\(step.from.rawValue) ▶ \(step.to.rawValue)"
        case .ignored(.renewedRecently): "too soon after the last renewal"
        case .rejected(.renewalsFailed): "too soon after failed renewals"
        case .rejected: "not while \(step.from.rawValue)"
        case .ignored: "no effect while \(step.from.rawValue)"
        }
      let line = time(index, "", "  ") + "\(DisplayWidth.pad(step.event, to: 14))  \(course)"
      if DisplayWidth.columns(line) <= width {
        lines.append(AppNotice(line, .plain))
      } else {
        lines += AppNotice.lines([step.event] + Paragraph.wrap(course, width: width, indent: 2), .plain)
      }
    }
    return lines + legend
  }

  /// When a step was, between these, where that is known.
  private func time(_ index: Int, _ before: String, _ after: String = "") -> String {
    index < times.count && !times[index].isEmpty ? before + times[index] + after : ""
  }
}
