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
    let body = body
    if let interruption {
      frame.put(interruption.lines(width: columns, height: body.height), body)
    } else if let help {
      frame.put(helpLines, from: clamped(helpTop: help), body)
    } else if let form {
      draw(form, in: &frame, body)
    } else if let machine = page?.machine {
      draw(machine, in: &frame, body)
    } else if let page {
      draw(page, in: &frame, body)
    } else if isLoadingLong {
      frame.put("Loading…", row: body.top, column: 0)
    }
    drawFoot(in: &frame)
    return frame
  }

  private var hasNoticeRow: Bool { rows >= 8 }

  /// Between the tabs and the foot, of which what the screen says takes as much as it needs.
  var body: AppArea {
    AppArea(top: hasNoticeRow ? 3 : 2, bottom: rows - (hasNoticeRow ? max(2, 1 + said.count) : 1))
  }

  private func drawBar(in frame: inout Frame) {
    let bar = Bar(title: tab.title + (context.map { " (\($0))" } ?? ""), button: button)
    frame.put(bar.line(width: columns, style: .plain), row: 0, column: 0)
    frame.restyle(row: 0, columns: 0..<DisplayWidth.columns(tab.title), style: .strong)
    let button = DisplayWidth.columns(bar.button.label) + 2
    frame.restyle(row: 0, columns: max(0, columns - button)..<columns, style: .accent)
  }

  /// The tabs have numbers where a number opens one: not while it would be text.
  private func drawTabs(in frame: inout Frame) {
    var labels: [String] = []
    var present = 0
    for tab in tabs {
      let label = isTyping ? tab.title : "\(labels.count + 1) \(tab.title)"
      if tab == self.tab { present = labels.count }
      labels.append(tab == self.tab ? "[\(label)]" : label)
    }
    var gap = 2
    // Not inlined, so that the executable stays small.
    @inline(never)
    func fits(_ first: Int, _ last: Int) -> Bool {
      guard first >= 0, last < labels.count else { return false }
      var width = 2
      for index in first...last { width += DisplayWidth.columns(labels[index]) + gap }
      return width <= columns
    }
    if !fits(0, labels.count - 1) { gap = 1 }
    // As many tabs around the open one as there is room for.
    var (first, last) = (present, present)
    while true {
      if fits(first, last + 1) { last += 1 } else if fits(first - 1, last) { first -= 1 } else { break }
    }
    var column = frame.put(first > 0 ? "‹" : "", row: 1, column: 0)
    for index in first...last {
      column = frame.put(
        labels[index], row: 1, column: column + gap,
        style: index == present ? .selected : isTyping ? .faint : .plain)
    }
    if last < labels.count - 1 { frame.put("›", row: 1, column: column + gap) }
  }

  // MARK: Help

  /// What the keys do, and where to read more.
  var helpLines: [AppNotice] {
    let keys = """
      ↑ ↓ k j    choose a line
      PgUp PgDn  a screen up or down
      Home g     the first line
      End G      the last line
      Enter      do what the bottom bar says
      Tab →      the next tab, or next field
      Shift-Tab  the one before it, as ←
      1 2 3 …    a tab, except while you type
      Esc        back
      q          quit
      l          log in or log out
      /          filter the list
      m          how the session works
      Ctrl-U -W  delete the text, or a word
      Ctrl-A -E  to its beginning, or its end
      Ctrl-L     draw the screen again
      """
    var lines: [AppNotice] = []
    for line in keys.split(separator: "\n") {
      lines += AppNotice.lines(DisplayWidth.split(String(line), to: columns, indent: "  "), .plain)
    }
    lines.append(AppNotice("", .plain))
    return lines
      + AppNotice.wrap(
        "What another terminal changes shows here at once. The commands do the same without a screen: auth-cli help.",
        width: columns)
  }

  /// Where the help can begin so that it fills the room it has.
  func clamped(helpTop top: Int) -> Int { max(0, min(top, helpLines.count - body.height)) }

  // MARK: The foot

  private func drawFoot(in frame: inout Frame) {
    let said = said
    let end = rows - (hasNoticeRow ? 1 : 0)
    for row in (end - said.count)..<end { frame.put(String(repeating: " ", count: columns), row: row, column: 0) }
    frame.put(said, AppArea(top: end - said.count, bottom: end))
    if !said.isEmpty, !hasNoticeRow { return }
    let position = position
    let start = columns - DisplayWidth.columns(position)
    if !position.isEmpty, start > 20 { frame.put(position, row: rows - 1, column: start, style: .faint) }
    frame.put(keys(width: position.isEmpty ? columns : start - 2), row: rows - 1, column: 0, style: .faint)
  }

  /// Where in a list the selected row is, where not all of it shows.
  private var position: String {
    guard interruption == nil, help == nil, form == nil, let page else { return "" }
    let rows = rowsShown
    guard let selected = selected(in: rows), rows.count > layout(of: page).rows.height else { return "" }
    return "\(selected + 1) of \(rows.count)\(page.part == nil ? "" : "+")"
  }

  /// What the screen says by itself, above the keys, in as many rows as leave some for the page.
  private var said: [AppNotice] {
    guard help == nil, interruption == nil else { return [] }
    var said = notice
    var answers = ""
    if let question { (said, answers) = (AppNotice(question.text, .strong), " y/n") }
    if isWorkLong, !isWaiting { (said, answers) = (AppNotice(workWords, .strong), "") }
    guard let said else { return [] }
    let text = TextEscaping.escape(said.text)
    let most = max(1, rows - 7)
    var lines = Paragraph.wrap(text + answers, width: columns)
    if lines.count > most {
      // The keys of the answer matter more than the end of the question.
      let room = columns - answers.utf8.count
      let rest = lines[(most - 1)...].joined(separator: " ").dropLast(answers.utf8.count)
      lines = lines[..<(most - 1)] + [DisplayWidth.truncate(String(rest), to: room) + answers]
    }
    return AppNotice.lines(lines.map { DisplayWidth.truncate($0, to: columns) }, said.style)
  }

  /// What is going on in the background, and for how long.
  var workWords: String {
    var words = (work?.progress ?? "") + "…"
    if seconds > 0 { words += " \(seconds) s" }
    if isQuitting { words += " Then the program ends; q ends it now." }
    return words
  }

  /// The keys that work here, the most useful first, as far as there is room.
  private func keys(width: Int) -> String {
    var keys = ""
    // Not inlined, so that the executable stays small.
    @inline(never)
    func add(_ key: String) {
      let longer = keys.isEmpty ? key : keys + "  " + key
      if DisplayWidth.columns(longer) <= width { keys = longer }
    }
    if interruption != nil { return isQuiet ? "Enter or Esc: go on" : "" }
    if help != nil {
      guard helpLines.count > body.height else { return "any key: back" }
      add("↑↓ scroll")
      add("other keys: back")
      return keys
    }
    if question != nil { return "y yes  n no" }
    if let form {
      if isWaiting { return "Esc leave" }
      add("Enter " + (form.focus == form.fields.count - 1 ? form.verb : "next"))
      add(form.isTab ? "Esc leave" : "Esc cancel")
      if form.fields.count > 1 { add("Tab field") }
      if form.isTab, form.fields[form.focus].text.isEmpty { add("←→ tabs") }
      return keys
    }
    if isFiltering {
      add("Enter done")
      add("Esc clear")
      return keys
    }
    add("? help")
    let rows = rowsShown
    let selected = selected(in: rows)
    if let selected {
      let row = rows[selected]
      if let label = row.menu == nil ? row.choice?.label : "change" { add("Enter " + label) }
    }
    if menu != nil { add("Esc back") } else if !filter.text.isEmpty { add("Esc clear") }
    if selected != nil { add("↑↓ choose") }
    add("q quit")
    add("Tab next")
    add(isLoggedIn ? "l log out" : "l log in")
    if selected != nil, canFilter { add("/ filter") }
    return keys
  }
}

extension AppNotice {
  /// Text in lines of so many columns.
  static func wrap(_ text: String, _ style: CellStyle = .plain, width: Int) -> [AppNotice] {
    lines(Paragraph.wrap(text, width: width), style)
  }

  /// Not inlined, so that the executable stays small.
  @inline(never)
  static func lines(_ texts: [String], _ style: CellStyle) -> [AppNotice] {
    var lines: [AppNotice] = []
    for text in texts { lines.append(AppNotice(text, style)) }
    return lines
  }
}

/// Some rows of the frame, the last not included.
struct AppArea {
  var top: Int
  var bottom: Int

  var height: Int { max(0, bottom - top) }
}

extension Frame {
  /// Draws as many lines as there is room for, from one on.
  mutating func put(
    _ lines: [AppNotice], from first: Int = 0, _ area: AppArea, column: Int = 0, width: Int = .max
  ) {
    var index = first
    while index < lines.count, area.top + index - first < area.bottom {
      let line = lines[index]
      put(line.text, row: area.top + index - first, column: column, width: width, style: line.style)
      index += 1
    }
  }
}
