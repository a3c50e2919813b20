import AuthBackend
import CommandLineKit
import TextFormat

extension AppState {
  /// Draws lines, the list with its chart, and what the list has no room for.
  func draw(_ page: AppPage, in frame: inout Frame, _ area: AppArea) {
    var area = area
    let natural = page.widths
    // The list comes first; the chart takes what it leaves, and no more than a third.
    var chartWidth = min(columns / 3, columns - AppColumns.total(natural) - 4)
    if columns < 72 || area.height < 5 || page.chart == nil || chartWidth < 18 { chartWidth = 0 }
    let listWidth = columns - (chartWidth > 0 ? chartWidth + 2 : 0)
    // Of little room the list gets most.
    var lines: [AppNotice] = []
    for line in page.lines {
      lines += line.isEmpty ? [AppNotice("", .plain)] : AppNotice.wrap(line, width: listWidth)
    }
    if chartWidth == 0, let chart = page.chart, area.height >= 6 {
      let (from, to) = chart.ends
      let width = max(1, min(40, columns - from.utf8.count - to.utf8.count - 2))
      lines = [AppNotice("\(from) \(chart.lines(width: width, height: 1)[0]) \(to)", .plain)] + lines
    }
    let count = min(lines.count, page.rows.isEmpty ? area.height : max(0, area.height - 4))
    frame.put(lines, AppArea(top: area.top, bottom: area.top + count), width: listWidth)
    area.top += count
    if chartWidth > 0, let chart = page.chart {
      draw(chart, in: &frame, area, columns: (columns - chartWidth)..<columns)
    }
    if isFiltering || !filter.text.isEmpty, menuRow == nil, area.height > 1 {
      let end = frame.put("\(filter.label): \(filter.text)", row: area.top, column: 0, width: listWidth)
      let part = page.part.map { "  in \($0)" } ?? ""
      if end + DisplayWidth.columns(part) <= listWidth { frame.put(part, row: area.top, column: end, style: .faint) }
      if isFiltering { frame.cursor = .init(row: area.top, column: min(end, columns - 1)) }
      area.top += 1
    }
    drawRows(page, in: &frame, area, AppColumns(page.columns, naturalWidths: natural, width: listWidth - 2))
  }

  private func drawRows(_ page: AppPage, in frame: inout Frame, _ area: AppArea, _ layout: AppColumns) {
    let rows = rowsShown
    guard let selected = selected(in: rows) else {
      frame.put(page.rows.isEmpty ? page.empty : "Nothing matches.", row: area.top, column: 0)
      return
    }
    var area = area
    // Of columns with titles the first has one.
    let hasHeading = page.columns.first?.title.isEmpty == false && area.height > 2
    if hasHeading { area.bottom -= 1 }
    if !layout.isWhole, area.height >= 5 {
      let count = area.height >= 10 ? 2 : 1
      area.bottom -= count + 1
      var lines: [AppNotice] = []
      for part in layout.rest(of: rows[selected].cells) {
        let longer = "\(lines.last?.text ?? "") · \(part)"
        if !lines.isEmpty, DisplayWidth.columns(longer) <= columns {
          lines[lines.count - 1] = AppNotice(longer, .plain)
        } else {
          lines += AppNotice.wrap(part, width: columns)
        }
      }
      let top = area.bottom + (hasHeading ? 2 : 1)
      frame.put(lines, AppArea(top: top, bottom: top + count))
    }
    guard area.height > 0 else { return }
    let first = selected / area.height * area.height
    var row = area.top
    // Rows that span all columns come before the titles of these.
    var needsHeading = hasHeading
    for index in first..<min(rows.count, first + area.height) {
      let cells = rows[index].cells
      if needsHeading, cells.count > 1 {
        frame.put(layout.heading, row: row, column: 2, style: .faint)
        row += 1
        needsHeading = false
      }
      let text = layout.line(cells)
      frame.put(text, row: row, column: 2)
      if index == selected {
        frame.put(">", row: row, column: 0)
        frame.restyle(row: row, columns: 0..<(2 + Self.width(ofFirst: cells.count > 1, text)), style: .selected)
      }
      row += 1
    }
  }

  /// How wide a line is up to the end of its text, or of its first cell alone.
  ///
  /// No more than that is marked, so that a step in the list is few bytes on a slow line.
  private static func width(ofFirst isFirst: Bool, _ line: String) -> Int {
    var width = 0
    var isSpace = true
    for character in line {
      if character != " " { isSpace = false } else if isFirst, !isSpace { break }
      width += DisplayWidth.columns(String(character))
    }
    return width
  }

  /// The largest value above, the time below.
  private func draw(_ chart: Chart, in frame: inout Frame, _ area: AppArea, columns: Range<Int>) {
    let ((least, most), (from, to)) = (chart.bounds, chart.ends)
    let lines = chart.lines(width: columns.count, height: min(12, area.height - 2))
    frame.put("\(Amount.text(least)) to \(Amount.text(most))", row: area.top, column: columns.lowerBound, style: .faint)
    var row = area.top + 1
    for line in lines {
      frame.put(line, row: row, column: columns.lowerBound, style: .accent)
      row += 1
    }
    let end = frame.put(from, row: row, column: columns.lowerBound, style: .faint)
    let start = columns.upperBound - to.utf8.count
    if start > end { frame.put(to, row: row, column: start, style: .faint) }
  }

  func draw(_ machine: MachineView, in frame: inout Frame, _ area: AppArea) {
    var states = machine.states(boxed: false)
    var words = area
    var column = 0
    if columns >= 60 {
      let boxed = machine.states(boxed: true)
      if boxed.count <= area.height { states = boxed }
      column = 2 + DisplayWidth.columns(states[0].text)
    } else {
      // Where there is no room for all states, the present one is there.
      if states.count > area.height {
        for state in states where state.style == .strong { states = [state] }
      }
      words.top += states.count + (area.height > states.count + 3 ? 1 : 0)
    }
    frame.put(states, area)
    frame.put(machine.words(width: columns - column, height: words.height), words, column: column)
  }
}
