import AuthBackend
import AuthCore
import CommandLineKit
import TextFormat

extension AppState {
  /// The screen of this state.
  ///
  /// Nothing else knows where things are.
  var frame: Frame {
    var frame = Frame(columns: columns, rows: rows)
    drawBar(in: &frame)
    drawTabs(in: &frame)
    let hasNoticeRow = rows >= 8
    let body = Area(top: rows >= 8 ? 3 : 2, bottom: rows - (hasNoticeRow ? 2 : 1))
    if isHelpShown {
      drawHelp(in: &frame, body)
    } else if let form {
      draw(form, in: &frame, body)
    } else if let machine = page?.machine {
      draw(machine, in: &frame, body)
    } else if let page {
      draw(page, in: &frame, body)
    } else {
      frame.put("Loading…", row: body.top, column: 0)
    }
    drawFoot(in: &frame, hasNoticeRow: hasNoticeRow)
    return frame
  }

  private func drawBar(in frame: inout Frame) {
    let bar = Bar(title: tab.title + (context.map { " (\($0))" } ?? ""), button: button)
    frame.put(bar.line(width: columns, style: .plain), row: 0, column: 0)
    frame.restyle(row: 0, columns: 0..<DisplayWidth.columns(tab.title), style: .strong)
    let button = DisplayWidth.columns(bar.button.label) + 2
    frame.restyle(row: 0, columns: max(0, columns - button)..<columns, style: .accent)
  }

  private func drawTabs(in frame: inout Frame) {
    let present = tabs.firstIndex(of: tab) ?? 0
    let labels = tabs.enumerated().map { index, tab in
      index == present ? "[\(index + 1) \(tab.title)]" : "\(index + 1) \(tab.title)"
    }
    var gap = 2
    func width(_ range: Range<Int>) -> Int { labels[range].reduce(2) { $0 + DisplayWidth.columns($1) + gap } }
    if width(0..<labels.count) > columns { gap = 1 }
    // As many tabs around the open one as there is room for.
    var range = present..<(present + 1)
    while true {
      if range.upperBound < labels.count, width(range.lowerBound..<(range.upperBound + 1)) <= columns {
        range = range.lowerBound..<(range.upperBound + 1)
      } else if range.lowerBound > 0, width((range.lowerBound - 1)..<range.upperBound) <= columns {
        range = (range.lowerBound - 1)..<range.upperBound
      } else {
        break
      }
    }
    var column = frame.put(range.lowerBound > 0 ? "‹" : "", row: 1, column: 0)
    for index in range {
      column = frame.put(
        labels[index], row: 1, column: column + gap, style: index == present ? .selected : .plain)
    }
    if range.upperBound < labels.count { frame.put("›", row: 1, column: column + gap) }
  }

  // MARK: Lists

  private func draw(_ page: AppPage, in frame: inout Frame, _ area: Area) {
    var area = area
    let widths = page.widths.isEmpty ? AppColumns.naturalWidths(page.columns, page.rows.map(\.cells)) : page.widths
    // The list comes first; the chart takes what it leaves, and no more than a third.
    var chartWidth = min(columns / 3, columns - AppColumns.total(widths) - 4)
    if columns < 72 || area.height < 4 || page.trend.count < 2 || chartWidth < 16 { chartWidth = 0 }
    let listWidth = columns - (chartWidth > 0 ? chartWidth + 2 : 0)
    // Of little room the list gets most.
    var lines = page.lines.flatMap { $0.isEmpty ? [""] : Paragraph.wrap($0, width: listWidth) }
    if chartWidth == 0, page.trend.count > 1, area.height >= 6 {
      lines = ["Balance  " + Chart.line(page.trend, width: min(40, columns - 9))] + lines
    }
    if !page.rows.isEmpty, lines.count > area.height - 4 { lines = Array(lines.prefix(max(0, area.height - 4))) }
    for line in lines.prefix(area.height) {
      frame.put(line, row: area.top, column: 0, width: listWidth)
      area.top += 1
    }
    if chartWidth > 0 { draw(page.trend, in: &frame, area, columns: (columns - chartWidth)..<columns) }
    if isFiltering || !filter.isEmpty, area.height > 1 {
      let end = frame.put("Filter: " + filter, row: area.top, column: 0, width: listWidth)
      let part = page.part.map { "  in \($0)" } ?? ""
      if end + DisplayWidth.columns(part) <= listWidth { frame.put(part, row: area.top, column: end, style: .faint) }
      if isFiltering { frame.cursor = .init(row: area.top, column: min(end, columns - 1)) }
      area.top += 1
    }
    drawRows(page, in: &frame, area, width: listWidth, widths)
  }

  private func drawRows(_ page: AppPage, in frame: inout Frame, _ area: Area, width: Int, _ widths: [Int]) {
    let rows = rowsShown
    guard let selected = selected(in: rows) else {
      frame.put(page.rows.isEmpty ? page.empty : "Nothing matches.", row: area.top, column: 0, width: width)
      return
    }
    let layout = AppColumns(page.columns, naturalWidths: widths, width: width - 2)
    var area = area
    if page.columns.contains(where: { !$0.title.isEmpty }), area.height > 2 {
      frame.put(layout.heading, row: area.top, column: 2, width: width - 2, style: .faint)
      area.top += 1
    }
    guard area.height > 0 else { return }
    let first = selected / area.height * area.height
    for (offset, index) in (first..<min(rows.count, first + area.height)).enumerated() {
      let row = area.top + offset
      let text = layout.line(rows[index].cells)
      frame.put(text, row: row, column: 2, width: width - 2)
      if index == selected {
        frame.put(">", row: row, column: 0)
        // The first column alone, so that a step in the list stays small on a slow line.
        let start = 2 + text.prefix { $0 == " " }.count
        let cell = text.drop { $0 == " " }.prefix { page.columns.isEmpty || $0 != " " }
        frame.restyle(
          row: row, columns: start..<max(start, min(width, start + DisplayWidth.columns(String(cell)))),
          style: .selected)
      }
    }
  }

  private func draw(_ values: [Int64], in frame: inout Frame, _ area: Area, columns: Range<Int>) {
    guard area.height >= 3, let largest = values.max(), let smallest = values.min() else { return }
    frame.put(
      "\(Amount.text(smallest)) to \(Amount.text(largest))", row: area.top, column: columns.lowerBound, style: .faint)
    let chart = Chart.area(values, width: columns.count, height: min(12, area.height - 2))
    for (offset, line) in chart.enumerated() {
      frame.put(line, row: area.top + 1 + offset, column: columns.lowerBound, style: .accent)
    }
    frame.put(
      "now \(Amount.text(values.last ?? 0))", row: area.top + 1 + chart.count, column: columns.lowerBound, style: .faint
    )
  }

  private func draw(_ machine: MachineView, in frame: inout Frame, _ area: Area) {
    var states = machine.states(boxed: false)
    var words = Area(top: area.top, bottom: area.bottom)
    var column = 0
    if columns >= 60 {
      let boxed = machine.states(boxed: true)
      if boxed.count <= area.height { states = boxed }
      column = 2 + (states.map { DisplayWidth.columns($0.text) }.max() ?? 0)
    } else {
      // Where there is no room for all states, the present one is there.
      if states.count > area.height { states = states.filter { $0.text.hasPrefix(">") } }
      words.top += states.count + (area.height > states.count + 3 ? 1 : 0)
    }
    for (row, line) in states.prefix(area.height).enumerated() {
      frame.put(line.text, row: area.top + row, column: 0, style: line.style)
    }
    for (row, line) in machine.words(width: columns - column).prefix(words.height).enumerated() {
      frame.put(line.text, row: words.top + row, column: column, style: line.style)
    }
  }

  // MARK: Forms

  private func draw(_ form: AppForm, in frame: inout Frame, _ area: Area) {
    let label = 2 + (form.fields.map { DisplayWidth.columns($0.label) }.max() ?? 0) + 2
    var area = area
    let below = message(of: form)
    if area.height >= form.fields.count + 2 {
      let end = frame.put(form.title, row: area.top, column: 0, style: .strong)
      if form.isTab, let balance = pages[tab]?.lines.first { frame.put(balance, row: area.top, column: end + 2) }
      area.top += area.height >= form.fields.count + 5 ? 2 : 1
    }
    // Where there is no room for all fields, the one with the cursor is there.
    let count = max(1, min(form.fields.count, area.height - (below.isEmpty ? 0 : 1)))
    let first = min(max(0, form.focus - count + 1), form.fields.count - count)
    for (offset, index) in (first..<(first + count)).enumerated() {
      let (row, field) = (area.top + offset, form.fields[index])
      if index == form.focus { frame.put(">", row: row, column: 0) }
      frame.put(field.label, row: row, column: 2)
      let (text, cursor) = field.visible(width: columns - label - 1)
      frame.put(text, row: row, column: label, style: field.isSecret ? .faint : .plain)
      if index == form.focus, work == nil { frame.cursor = .init(row: row, column: min(columns - 1, label + cursor)) }
    }
    area.top += count
    if area.height > 3 { area.top += 1 }
    for (offset, line) in below.prefix(area.height).enumerated() {
      frame.put(line.text, row: area.top + offset, column: 0, style: line.style)
    }
  }

  /// What stands below the fields: what is going on, what is wrong, or what to know.
  private func message(of form: AppForm) -> [AppNotice] {
    func lines(_ text: String, _ style: CellStyle) -> [AppNotice] {
      Paragraph.wrap(text, width: columns).map { AppNotice(text: $0, style: style) }
    }
    if let work { return lines(progress(work), .strong) }
    if let problem = form.problem { return lines(problem.message, .bad) + lines(problem.hint, .plain) }
    return form.advice.map { lines($0, .faint) } ?? []
  }

  private func progress(_ work: AppProgress) -> String {
    "\(work.action.progress)…" + (work.seconds > 0 ? " \(work.seconds) s" : "")
      + (isQuitting ? " Then the program ends; q ends it now." : "")
  }

  // MARK: The foot

  private func drawFoot(in frame: inout Frame, hasNoticeRow: Bool) {
    for (offset, line) in said.enumerated() {
      let row = rows - (hasNoticeRow ? 1 : 0) - said.count + offset
      frame.put(String(repeating: " ", count: columns), row: row, column: 0)
      frame.put(line.text, row: row, column: 0, style: line.style)
    }
    if !said.isEmpty, !hasNoticeRow { return }
    var text = ""
    for key in keys {
      let longer = text.isEmpty ? key : text + "  " + key
      guard DisplayWidth.columns(longer) <= columns else { break }
      text = longer
    }
    frame.put(text, row: rows - 1, column: 0, style: .faint)
  }

  /// What the screen says by itself, above the keys; in two rows where one is too short and there
  /// is room.
  private var said: [AppNotice] {
    var said = notice
    if let question { said = AppNotice(text: "\(question.text) \(question.keys)", style: .strong) }
    if let work, form == nil { said = AppNotice(text: progress(work), style: .strong) }
    guard let said else { return [] }
    var text = TextEscaping.escape(said.text)
    if let question, work == nil, rows < 10 {
      // In one row the keys matter more than the end of the question.
      let room = columns - DisplayWidth.columns(question.keys) - 1
      text = (room > 0 ? DisplayWidth.truncate(question.text, to: room) + " " : "") + question.keys
    }
    var lines = DisplayWidth.columns(text) > columns && rows >= 10 ? Paragraph.wrap(text, width: columns) : [text]
    if lines.count > 2 { lines = [lines[0], lines[1...].joined(separator: " ")] }
    return lines.map { AppNotice(text: DisplayWidth.truncate($0, to: columns), style: said.style) }
  }

  /// The keys that work here, the most useful first.
  private var keys: [String] {
    if isHelpShown { return ["any key: back"] }
    if let question { return question.answers.map { "\($0.key) \($0.label)" } + ["n no"] }
    if let form {
      if work != nil { return ["Esc leave"] }
      let isLast = form.focus == form.fields.count - 1
      let keys = ["Enter \(isLast ? form.verb : "next")", "Esc \(form.isTab ? "leave" : "cancel")"]
      guard form.isTab else { return form.fields.count > 1 ? keys + ["Tab field"] : keys }
      return keys + ["Tab next"] + (form.fields[form.focus].input.text.isEmpty ? ["←→ tabs"] : [])
    }
    if isFiltering { return ["Enter done", "Esc clear"] }
    var keys = ["? help", "q quit", "Tab next", user == nil ? "l log in" : "l log out"]
    let rows = rowsShown
    if let selected = selected(in: rows) {
      keys.insert("↑↓ choose", at: 1)
      if let action = rows[selected].action { keys.insert("Enter \(action.label)", at: 1) }
      if tab != .home { keys.append("/ filter") }
    }
    return keys
  }

  private func drawHelp(in frame: inout Frame, _ area: Area) {
    var lines = [
      "↑ ↓ k j     choose a line", "Enter       open it, or do what it says",
      "Tab  ← →    the next tab, or the one before",
      "1 to \(tabs.count)      a tab by its number", "Esc         back", "/           filter the list",
      "l           log in or log out",
      "m           how the session works", "q           quit", "",
    ]
    lines += Paragraph.wrap(
      "What another terminal changes shows here at once. The commands do the same without a screen: auth-cli help.",
      width: columns)
    for (offset, line) in lines.prefix(area.height).enumerated() { frame.put(line, row: area.top + offset, column: 0) }
  }
}

/// Some rows of the frame, the last not included.
private struct Area {
  var top: Int
  var bottom: Int

  var height: Int { max(0, bottom - top) }
}

extension AppQuestion {
  /// The keys that answer it.
  fileprivate var keys: String {
    let keys = answers.map { "\($0.key) \($0.label)" }
    return keys == ["y yes"] ? "y/n" : keys.joined(separator: ", ")
  }
}

extension AppForm.Field {
  /// What shows of the line in so many columns, and in which of them the cursor is.
  fileprivate func visible(width: Int) -> (String, Int) {
    if isSecret { return (input.text.isEmpty ? "" : "(typed, not shown)", 0) }
    var before = ""
    for character in input.text.prefix(input.cursor) {
      before.append(contentsOf: TextEscaping.escape(String(character)))
    }
    let after = TextEscaping.escape(String(input.text.dropFirst(input.cursor)))
    // The end of a long line shows, up to the cursor.
    while DisplayWidth.columns(before) > max(0, width - 1), !before.isEmpty { before.removeFirst() }
    return (before + after, DisplayWidth.columns(before))
  }
}
