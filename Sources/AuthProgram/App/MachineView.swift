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
  func states(boxed: Bool) -> [AppNotice] {
    let kinds = SessionState.Kind.allCases
    let width = kinds.map(\.rawValue.count).max() ?? 0
    let bar = String(repeating: "─", count: width + 2)
    var lines = boxed ? [AppNotice(text: "    ┌\(bar)┐", style: .plain)] : []
    for kind in kinds {
      let isPresent = kind == present
      let name = DisplayWidth.pad(kind.rawValue, to: width)
      lines.append(
        AppNotice(
          text: (isPresent ? "now " : "    ") + (boxed ? "│ \(name) │" : name), style: isPresent ? .strong : .plain))
      if boxed { lines.append(AppNotice(text: kind == kinds.last ? "    └\(bar)┘" : "    ├\(bar)┤", style: .plain)) }
    }
    return lines
  }

  /// What can happen next and what happened last, the latest first, in so many rows.
  func words(width: Int, height: Int) -> [AppNotice] {
    func wrap(_ text: String, _ style: CellStyle) -> [AppNotice] {
      Paragraph.wrap(text, width: width).map { AppNotice(text: $0, style: style) }
    }
    let space = [AppNotice(text: "", style: .plain)]
    var lines = wrap("From \(present.rawValue) it can go to", .faint)
    for arrow in arrows {
      lines += wrap("▶ \(arrow.to.rawValue)  on \(arrow.events.map(\.rawValue).joined(separator: ", "))", .plain)
    }
    lines += space + wrap("What happened, the latest first", .faint)
    let legend =
      space
      + wrap(
        "'not while' and 'no effect' are no faults: in every state the machine has an answer to every event.", .faint)
    // The latest steps matter more than the legend.
    let hasLegend = height >= lines.count + legend.count + 3
    let room = height - lines.count - (hasLegend ? legend.count : 0)
    lines += steps.reversed().prefix(max(0, room)).map { step in
      let course =
        switch step.answer {
        case .transition where step.from == step.to: "stays \(step.to.rawValue)"
        case .transition: "\(step.from.rawValue) ▶ \(step.to.rawValue)"
        case .rejected: "not while \(step.from.rawValue)"
        case .ignored: "no effect while \(step.from.rawValue)"
        }
      return AppNotice(text: "\(DisplayWidth.pad(step.event.rawValue, to: 14))  \(course)", style: .plain)
    }
    return Array((lines + (hasLegend ? legend : [])).prefix(max(0, height)))
  }
}
