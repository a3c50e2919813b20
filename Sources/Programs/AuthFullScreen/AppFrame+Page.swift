import AuthAccounts
import AuthScreens
import CommandLineKit
import TextFormat

/// The positions of the parts of a page.
struct AppPageLayout {
  /// The lines above the list.
  var lines: [AppNotice] = []
  /// The rows of the screen for the list, without the line of column titles.
  var rows: AppArea
  /// The indices of the visible rows of the list.
  var indices = 0..<0
  /// The index of the first row with columns, below their titles; rows of one cell come before it.
  var firstTitled = Int.max
  var listWidth: Int
  /// The chart next to the list; nil if there is no room.
  var chart: Chart?
  /// The width beside the list, for the chart or, on wide screens, for the whole selected row.
  var sideWidth: Int
  var columns: AppColumns
  var hasHeading = false
  /// The number of lines below the list for the cut-off text of the selected row.
  var details = 0
  /// The row of the screen with the filter; nil if it does not show.
  var filterRow: Int?

  /// The row of the screen for a row of the list.
  ///
  /// An empty row divides rows of one cell from the titles.
  func row(of index: Int) -> Int {
    rows.top + index - indices.lowerBound + (index >= firstTitled ? hasDivision ? 2 : 1 : 0)
  }

  /// Whether rows of one cell, such as what an administrator can do, show above the titles.
  var hasDivision: Bool { firstTitled < .max && firstTitled > indices.lowerBound && divides }
  /// Whether there is room for an empty row above the titles.
  var divides = false
}

extension AppState {
  /// The least width of a screen that shows the whole selected row beside the list.
  private static let wide = 140

  /// Lays out the open page.
  func layout(of page: AppPage) -> AppPageLayout {
    var area = body
    let known = menuRow == nil && tab != .home ? self[tab].widths : nil
    let natural = known ?? AppColumns.naturalWidths(page.columns, page.rows)
    // The chart gets the width that the list does not need, up to a third of the screen.
    let chartWidth = min(columns / 3, columns - Table.total(natural) - 4)
    let chart = columns < 72 || area.height < 5 || chartWidth < 18 ? nil : page.chart
    let hasDetails = columns >= Self.wide && menuRow == nil && page.rows.contains { $0.menu != nil }
    let sideWidth = chart != nil ? chartWidth : hasDetails ? min(64, columns / 3) : 0
    let listWidth = columns - (sideWidth > 0 ? sideWidth + 2 : 0)
    var layout = AppPageLayout(
      rows: area, listWidth: listWidth, chart: chart, sideWidth: sideWidth,
      columns: AppColumns(page.columns, naturalWidths: natural, width: listWidth - 2))
    layout.lines = lines(of: page, width: listWidth, height: area.height)
    if chart == nil, let chart = page.chart, area.height >= 6 {
      layout.lines.insert(AppNotice(chart.sparkline(width: min(56, columns))), at: 0)
    }
    // On a small screen the list gets all but few rows. The menu of a row gets only one, because
    // the bottom bar shows its letter keys anyway.
    if !page.rows.isEmpty {
      layout.lines = Array(layout.lines.prefix(max(0, area.height - (menuRow == nil ? 4 : 1))))
    }
    area.top += min(layout.lines.count, area.height)
    if isFiltering || !filter.text.isEmpty, menuRow == nil, area.height > 1 {
      layout.filterRow = area.top
      area.top += 1
    }
    let rows = rowsShown
    if let selected = selected(in: rows) {
      // If any column has a title, the first one has.
      layout.hasHeading = page.columns.first?.title.isEmpty == false && area.height > 2
      if layout.hasHeading { area.bottom -= 1 }
      layout.divides = layout.hasHeading && area.height > 8 && rows.first?.cells.count == 1
      if layout.divides { area.bottom -= 1 }
      if !layout.columns.isWhole, area.height >= 8 {
        layout.details = area.height >= 10 ? 2 : 1
        area.bottom -= layout.details + 1
      }
      let height = max(1, area.height)
      let lowest = min(selected, max(0, rows.count - height))
      let first = max(selected - height + 1, min(list.top, lowest))
      layout.indices = first..<max(first, min(rows.count, first + area.height))
      if layout.hasHeading { layout.firstTitled = layout.indices.first { rows[$0].cells.count > 1 } ?? .max }
    }
    layout.rows = area
    return layout
  }

  /// The lines above the list; the lines of a menu are joined into a paragraph if there is no room
  /// for all.
  private func lines(of page: AppPage, width: Int, height: Int) -> [AppNotice] {
    let texts = page.lines.enumerated().map { index, line in
      line + (page.moments[index].map { ", " + Deadlines.ago(wallNow - $0) } ?? "")
    }
    // Wrapping would remove the spaces that align a line.
    let lines = texts.flatMap { line in
      DisplayWidth.columns(line) <= width ? [AppNotice(line)] : AppNotice.wrap(line, width: width)
    }
    guard menuRow != nil, lines.count + page.rows.count > height else { return lines }
    let parts = texts.filter { !$0.isEmpty }.map { $0.split(separator: " ").joined(separator: " ") }
    return AppNotice.wrap(parts.joined(separator: " · "), width: width)
  }

  /// Draws the lines, the list with its chart, and the cut-off text of the selected row.
  func draw(_ page: AppPage, in frame: inout Frame, _ area: AppArea) {
    let layout = layout(of: page)
    frame.put(layout.lines, area, width: layout.listWidth)
    var side = AppArea(top: layout.filterRow ?? layout.rows.top, bottom: area.bottom)
    if let chart = layout.chart {
      draw(chart, in: &frame, side, columns: (columns - layout.sideWidth)..<columns)
      side.top += 16
    }
    if columns >= Self.wide, layout.sideWidth > 0, let details = selectedRow?.menu {
      let lines = lines(of: details, width: layout.sideWidth, height: side.height)
      frame.put(lines, side, column: columns - layout.sideWidth)
    }
    if let row = layout.filterRow {
      let end = frame.put("\(filter.label): \(filter.text)", row: row, column: 0, width: layout.listWidth)
      let found = found(on: page)
      if end + 2 + DisplayWidth.columns(found) <= layout.listWidth {
        frame.put("  \(found)", row: row, column: end, style: .faint)
      }
      if isFiltering { frame.cursor = .init(row: row, column: min(end, columns - 1)) }
    }
    drawRows(page, in: &frame, layout)
  }

  /// How many rows match the filter, such as "17 of 19".
  private func found(on page: AppPage) -> String {
    let count = rowsShown.count
    // The backend counts no rows that it leaves out.
    if !page.query.text.isEmpty {
      let found = "\(count)\(page.part == nil ? "" : "+") found"
      return tab == .accounts ? found + ", names that start with this" : found
    }
    return "\(count) of \(page.part ?? String(page.rows.count))"
  }

  private func drawRows(_ page: AppPage, in frame: inout Frame, _ layout: AppPageLayout) {
    let (rows, area) = (rowsShown, layout.rows)
    guard let selected = selected(in: rows) else {
      frame.put(
        page.rows.isEmpty && page.query.text.isEmpty ? page.empty : "Nothing matches.", row: area.top, column: 0)
      return
    }
    guard area.height > 0 else { return }
    if layout.firstTitled < .max {
      frame.put(layout.columns.heading, row: layout.row(of: layout.firstTitled) - 1, column: 2, style: .faint)
    }
    for index in layout.indices {
      let isNew = arrived?.ids.contains(rows[index].id) == true
      let marks = (index == selected ? ">" : " ") + (isNew ? "+" : " ")
      frame.put(
        DisplayWidth.pad(marks + layout.columns.line(rows[index].cells), to: layout.listWidth),
        row: layout.row(of: index), column: 0,
        width: layout.listWidth, style: index == selected ? .selected : isNew ? .good : .plain)
    }
    guard layout.details > 0 else { return }
    var lines: [AppNotice] = []
    let thisYear = String(UTCTime(seconds: wallNow).local(.minutes).prefix(4))
    for part in layout.columns.rest(of: rows[selected].cells, thisYear: thisYear) {
      let longer = "\(lines.last?.text ?? "") · \(part)"
      if !lines.isEmpty, DisplayWidth.columns(longer) <= columns {
        lines[lines.count - 1] = AppNotice(longer)
      } else {
        lines += AppNotice.wrap(part, width: columns)
      }
    }
    let top = area.bottom + (layout.hasHeading ? 2 : 1) + (layout.divides ? 1 : 0)
    frame.put(lines, AppArea(top: top, bottom: top + layout.details))
  }

  /// Draws the chart, with its range of values above and its times below.
  private func draw(_ chart: Chart, in frame: inout Frame, _ area: AppArea, columns: Range<Int>) {
    let ((least, most), (from, to)) = (chart.bounds, chart.ends)
    let lines = chart.lines(width: columns.count, height: min(12, area.height - 2))
    let range = "\(Amount.text(least)) to \(Amount.text(most))"
    let title = "Balance \(range)".utf8.count <= columns.count ? "Balance \(range)" : range
    let space = String(repeating: " ", count: max(0, columns.count - from.utf8.count - to.utf8.count))
    let ends = space.isEmpty ? from : from + space + to
    frame.put(
      [AppNotice(title, .faint)] + AppNotice.lines(lines, .accent) + [AppNotice(ends, .faint)], area,
      column: columns.lowerBound)
  }

  /// The layout of the Machine tab; nil for another page.
  var machineLayout: MachineLayout? { page?.machine?.layout(columns: columns, height: body.height) }

  /// The lines of the Machine tab that show, such as "1-5 of 23"; nil if all do.
  var machineLines: String? {
    guard let count = machineLayout?.lines.count, count > body.height else { return nil }
    return "\(list.top + 1)-\(min(count, list.top + body.height)) of \(count)"
  }

  func draw(_ machine: MachineLayout, in frame: inout Frame, _ area: AppArea) {
    for (offset, parts) in machine.states.enumerated() {
      var column = 0
      for part in parts { column = frame.put(part.text, row: area.top + offset, column: column, style: part.style) }
    }
    frame.put(machine.lines, from: list.top, area, column: machine.column)
  }
}
