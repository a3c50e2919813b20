import AuthBackend
import CommandLineKit
import TextFormat

extension AppState {
  /// Draws lines, the list with its chart, and what the list has no room for.
  func draw(_ page: AppPage, in frame: inout Frame, _ area: AppArea) {
    var area = area
    let natural = page.widths.isEmpty ? AppColumns.naturalWidths(page.columns, page.rows.map(\.cells)) : page.widths
    // The list comes first; the chart takes what it leaves, and no more than a third.
    var chartWidth = min(columns / 3, columns - AppColumns.total(natural) - 4)
    if columns < 72 || area.height < 5 || page.chart.isEmpty || chartWidth < 18 { chartWidth = 0 }
    let listWidth = columns - (chartWidth > 0 ? chartWidth + 2 : 0)
    // Of little room the list gets most.
    var lines = page.lines.flatMap { $0.isEmpty ? [""] : Paragraph.wrap($0, width: listWidth) }
    if chartWidth == 0, !page.chart.isEmpty, area.height >= 6 {
      let (from, to) = page.chart.ends
      let width = max(1, min(40, columns - from.utf8.count - to.utf8.count - 2))
      lines = ["\(from) \(page.chart.lines(width: width, height: 1).joined()) \(to)"] + lines
    }
    if !page.rows.isEmpty, lines.count > area.height - 4 { lines = Array(lines.prefix(max(0, area.height - 4))) }
    for line in lines.prefix(area.height) {
      frame.put(line, row: area.top, column: 0, width: listWidth)
      area.top += 1
    }
    if chartWidth > 0 { draw(page.chart, in: &frame, area, columns: (columns - chartWidth)..<columns) }
    if isFiltering || !filter.isEmpty, menuRow == nil, area.height > 1 {
      let end = frame.put("Filter: " + filter, row: area.top, column: 0, width: listWidth)
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
    let hasHeading = page.columns.contains { !$0.title.isEmpty } && area.height > 2
    if hasHeading { area.bottom -= 1 }
    if !layout.isWhole, area.height >= 5 {
      let count = area.height >= 10 ? 2 : 1
      area.bottom -= count + 1
      var lines: [String] = []
      for part in layout.rest(of: rows[selected].cells) {
        let longer = (lines.last ?? "") + " · " + part
        if !lines.isEmpty, DisplayWidth.columns(longer) <= columns {
          lines[lines.count - 1] = longer
        } else {
          lines += Paragraph.wrap(part, width: columns)
        }
      }
      for (offset, line) in lines.prefix(count).enumerated() {
        frame.put(line, row: area.bottom + (hasHeading ? 2 : 1) + offset, column: 0)
      }
    }
    guard area.height > 0 else { return }
    let first = selected / area.height * area.height
    let shown = first..<min(rows.count, first + area.height)
    // Rows that span all columns come before the titles of these.
    let lead = hasHeading ? rows[shown].prefix { $0.cells.count == 1 }.count : 0
    if hasHeading, lead < shown.count { frame.put(layout.heading, row: area.top + lead, column: 2, style: .faint) }
    for (offset, index) in shown.enumerated() {
      let row = area.top + offset + (hasHeading && offset >= lead ? 1 : 0)
      let cells = rows[index].cells
      let text = layout.line(cells)
      frame.put(text, row: row, column: 2)
      if index == selected {
        frame.put(">", row: row, column: 0)
        // Only the first cell, so that a step in the list is few bytes on a slow line.
        let space = text.prefix { $0 == " " }.count
        let cell = text.dropFirst(space).prefix { cells.count == 1 || $0 != " " }
        frame.restyle(row: row, columns: 0..<(2 + space + DisplayWidth.columns(String(cell))), style: .selected)
      }
    }
  }

  /// The largest value above, the time below.
  private func draw(_ chart: Chart, in frame: inout Frame, _ area: AppArea, columns: Range<Int>) {
    let ((least, most), (from, to)) = (chart.bounds, chart.ends)
    let lines = chart.lines(width: columns.count, height: min(12, area.height - 2))
    frame.put("\(Amount.text(least)) to \(Amount.text(most))", row: area.top, column: columns.lowerBound, style: .faint)
    for (offset, line) in lines.enumerated() {
      frame.put(line, row: area.top + 1 + offset, column: columns.lowerBound, style: .accent)
    }
    let row = area.top + 1 + lines.count
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
      column = 2 + (states.map { DisplayWidth.columns($0.text) }.max() ?? 0)
    } else {
      // Where there is no room for all states, the present one is there.
      if states.count > area.height { states = states.filter { $0.style == .strong } }
      words.top += states.count + (area.height > states.count + 3 ? 1 : 0)
    }
    for (row, line) in states.prefix(area.height).enumerated() {
      frame.put(line.text, row: area.top + row, column: 0, style: line.style)
    }
    for (row, line) in machine.words(width: columns - column, height: words.height).enumerated() {
      frame.put(line.text, row: words.top + row, column: column, style: line.style)
    }
  }
}
