import AuthCore
import CommandLineKit

/// The session machine at work: where it is, where it can go from there, and what it was asked
/// last.
struct MachineView: Sendable {
  /// A way out of a state.
  struct Arrow: Sendable {
    let to: SessionState.Kind
    let events: [SessionEvent.Kind]
  }

  let present: SessionState.Kind
  /// The ways out of the present state, as the machine itself answers.
  let arrows: [Arrow]
  /// The latest last.
  let steps: [MachineStep]

  init(present: SessionState.Kind, table: MachineTable, steps: [MachineStep]) {
    self.present = present
    self.steps = steps
    arrows = SessionState.Kind.allCases.compactMap { to in
      let events = table.events(from: present, to: to)
      return events.isEmpty ? nil : Arrow(to: to, events: events)
    }
  }

  /// The states from top to bottom, the present one marked; in boxes where there is room.
  func states(boxed: Bool) -> [(text: String, style: CellStyle)] {
    let kinds = SessionState.Kind.allCases
    let width = kinds.map(\.rawValue.count).max() ?? 0
    let bar = String(repeating: "─", count: width + 2)
    var lines: [(text: String, style: CellStyle)] = boxed ? [("  ┌\(bar)┐", .plain)] : []
    for kind in kinds {
      let isPresent = kind == present
      let name = DisplayWidth.pad(kind.rawValue, to: width)
      lines.append(
        ((isPresent ? "> " : "  ") + (boxed ? "│ \(name) │" : name), isPresent ? CellStyle.strong : .plain))
      if boxed { lines.append((kind == kinds.last ? "  └\(bar)┘" : "  ├\(bar)┤", .plain)) }
    }
    return lines
  }

  /// What can happen next and what happened last, the latest first.
  func words(width: Int) -> [(text: String, style: CellStyle)] {
    var lines: [(text: String, style: CellStyle)] = [("From \(present.rawValue) it goes", .faint)]
    for arrow in arrows {
      let events = arrow.events.map(\.rawValue).joined(separator: ", ")
      lines += Paragraph.wrap("▶ \(arrow.to.rawValue)  on \(events)", width: width).map { ($0, .plain) }
    }
    lines += [("", .plain), ("What it was asked, the latest first", .faint)]
    for step in steps.reversed() {
      let course =
        switch step.answer {
        case .transition where step.from == step.to: "stays \(step.to.rawValue)"
        case .transition: "\(step.from.rawValue) ▶ \(step.to.rawValue)"
        case .rejected: "refused in \(step.from.rawValue)"
        case .ignored: "ignored in \(step.from.rawValue)"
        }
      lines.append(("\(DisplayWidth.pad(step.event.rawValue, to: 14))  \(course)", .plain))
    }
    return lines
  }
}
