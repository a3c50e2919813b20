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
    if let help {
      frame.put(helpLines, from: clamped(helpTop: help), body)
    } else if let code {
      draw(code, in: &frame, body)
    } else if let form {
      draw(form, in: &frame, body)
    } else if let machine = page?.machine {
      draw(machine, in: &frame, body)
    } else if let page {
      draw(page, in: &frame, body)
    } else {
      frame.put("Loading…", row: body.top, column: 0)
    }
    drawFoot(in: &frame)
    return frame
  }

  private var hasNoticeRow: Bool { rows >= 8 }

  /// Between the tabs and the foot.
  var body: AppArea { AppArea(top: hasNoticeRow ? 3 : 2, bottom: rows - (hasNoticeRow ? 2 : 1)) }

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

  // MARK: In place of the page

  private func draw(_ code: OneTimeCode, in frame: inout Frame, _ area: AppArea) {
    let name = code.user.username
    var lines = AppNotice.lines(DisplayWidth.split(code.code.text, to: columns, indent: ""), .strong)
    lines.append(AppNotice("", .plain))
    lines += AppNotice.wrap(
      "It works once, within \(Deadlines.words(code.validFor)), and sets a new password: auth-cli recover \(name). "
        + "It is not shown again.", width: columns)
    if area.height > lines.count + 1 {
      lines = [AppNotice("Give this one-time code to \(name):", .plain), AppNotice("", .plain)] + lines
    }
    frame.put(lines, area)
  }

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
    frame.put(keys, row: rows - 1, column: 0, style: .faint)
  }

  /// What the screen says by itself, above the keys; in two rows where one is too short and there
  /// is room.
  private var said: [AppNotice] {
    guard help == nil else { return [] }
    var said = notice
    var answers = ""
    if let question { (said, answers) = (AppNotice(question.text, .strong), " y/n") }
    if work != nil, form == nil { (said, answers) = (AppNotice(workWords, .strong), "") }
    guard let said else { return [] }
    // In one row the keys matter more than the end of the question.
    var lines = [DisplayWidth.truncate(TextEscaping.escape(said.text), to: columns - answers.utf8.count) + answers]
    if rows >= 10 { lines = Paragraph.wrap(TextEscaping.escape(said.text) + answers, width: columns) }
    while lines.count > 2 {
      let last = lines.removeLast()
      lines[lines.count - 1] += " " + last
    }
    for index in lines.indices { lines[index] = DisplayWidth.truncate(lines[index], to: columns) }
    return AppNotice.lines(lines, said.style)
  }

  /// What is going on in the background, and for how long.
  var workWords: String {
    var words = (work?.progress ?? "") + "…"
    if seconds > 0 { words += " \(seconds) s" }
    if isQuitting { words += " Then the program ends; q ends it now." }
    return words
  }

  /// The keys that work here, the most useful first, as far as there is room.
  private var keys: String {
    var keys = ""
    // Not inlined, so that the executable stays small.
    @inline(never)
    func add(_ key: String) {
      let longer = keys.isEmpty ? key : keys + "  " + key
      if DisplayWidth.columns(longer) <= columns { keys = longer }
    }
    if help != nil {
      guard helpLines.count > body.height else { return "any key: back" }
      add("↑↓ scroll")
      add("other keys: back")
      return keys
    }
    if code != nil { return "Enter done" }
    if question != nil { return "y yes  n no" }
    if let form {
      if work != nil { return "Esc leave" }
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
