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

  init(present: SessionState.Kind, table: MachineTable, steps: [MachineStep]) {
    self.present = present
    self.steps = steps
    var ways: [String] = []
    for to in SessionState.Kind.allCases {
      var way = ""
      for event in table.events(from: present.rawValue, to: to.rawValue) {
        way += (way.isEmpty ? "▶ \(to.rawValue)  on " : ", ") + event
      }
      if !way.isEmpty { ways.append(way) }
    }
    self.ways = ways
  }

  /// The states from top to bottom, the present one marked; in boxes where there is room.
  func states(boxed: Bool) -> [AppNotice] {
    let kinds = SessionState.Kind.allCases
    var width = 0
    for kind in kinds { width = max(width, kind.rawValue.utf8.count) }
    let bar = String(repeating: "─", count: width + 2)
    var lines = boxed ? [AppNotice("    ┌\(bar)┐", .plain)] : []
    for kind in kinds {
      let isPresent = kind == present
      let name = DisplayWidth.pad(kind.rawValue, to: width)
      lines.append(
        AppNotice((isPresent ? "now " : "    ") + (boxed ? "│ \(name) │" : name), isPresent ? .strong : .plain))
      if boxed { lines.append(AppNotice(kind == kinds.last ? "    └\(bar)┘" : "    ├\(bar)┤", .plain)) }
    }
    return lines
  }

  /// What can happen next and what happened last, the latest first; about as many rows as there is
  /// room for.
  func words(width: Int, height: Int) -> [AppNotice] {
    let space = [AppNotice("", .plain)]
    var lines = AppNotice.wrap("From \(present.rawValue) it can go to", .faint, width: width)
    for way in ways { lines += AppNotice.wrap(way, width: width) }
    lines += space + AppNotice.wrap("What happened, the latest first", .faint, width: width)
    var legend =
      space
      + AppNotice.wrap(
        "'not' and 'no effect' are no faults: in every state the machine has an answer to every event.", .faint,
        width: width)
    // The latest steps matter more than the legend.
    if height < lines.count + legend.count + 3 { legend = [] }
    let room = height - lines.count - legend.count
    var index = steps.count
    while index > max(0, steps.count - room) {
      index -= 1
      let step = steps[index]
      let course =
        switch step.answer {
        case .transition where step.from == step.to: "stays \(step.to.rawValue)"
        case .transition: "\(step.from.rawValue) ▶ \(step.to.rawValue)"
        case .rejected(.renewedRecently): "too soon after the last renewal"
        case .rejected(.renewalsFailed): "too soon after failed renewals"
        case .rejected: "not while \(step.from.rawValue)"
        case .ignored: "no effect while \(step.from.rawValue)"
        }
      let line = "\(DisplayWidth.pad(step.event, to: 14))  \(course)"
      if DisplayWidth.columns(line) <= width {
        lines.append(AppNotice(line, .plain))
      } else {
        lines += AppNotice.lines([step.event] + Paragraph.wrap(course, width: width, indent: 2), .plain)
      }
    }
    return lines + legend
  }
}
