import AuthAccounts
import AuthCore
import AuthScreens
import CommandLineKit
import TextFormat

extension AppState {
  /// The screen for this state.
  ///
  /// Only the files `AppFrame…` know the layout.
  var frame: Frame {
    var frame = Frame(columns: columns, rows: rows)
    drawBar(in: &frame)
    drawTabs(in: &frame)
    let body = body
    if let overlay {
      frame.put(overlay, from: overlayTop, body)
    } else if let form {
      draw(form, in: &frame, body)
    } else if let machine = machineLayout {
      draw(machine, in: &frame, body)
    } else if let page {
      draw(page, in: &frame, body)
    } else if isLoadingLong {
      frame.put("Loading…", row: body.top, column: 0)
    }
    drawFoot(in: &frame)
    return frame
  }

  /// The lines that cover the page: an interruption or the help; nil for none.
  var overlay: [AppNotice]? {
    interruption?.lines(width: columns, height: body.height) ?? (showsHelp ? helpLines : nil)
  }

  private var hasNoticeRow: Bool { rows >= 8 }

  /// The rows between the tabs and the messages at the bottom.
  ///
  /// A form shows its messages below its fields, so on a small terminal it leaves only one row for
  /// the bottom.
  var body: AppArea {
    let foot = max(form != nil && rows < 16 ? 1 : 2, 1 + said.count)
    return AppArea(top: hasNoticeRow ? 3 : 2, bottom: rows - (hasNoticeRow ? foot : 1))
  }

  private func drawBar(in frame: inout Frame) {
    let bar = Bar(title: tab.title + (context.map { " (\($0))" } ?? ""), button: button)
    frame.put(bar.line(width: columns, style: .plain), row: 0, column: 0)
    frame.restyle(row: 0, columns: 0..<DisplayWidth.columns(tab.title), style: .strong)
    frame.restyle(row: 0, columns: buttonStart..<columns, style: .accent)
  }

  /// The first column of the button in the navigation bar.
  var buttonStart: Int { max(0, columns - DisplayWidth.columns(button.label) - 2) }

  /// The tabs that fit, around the open one, with their columns.
  ///
  /// They have numbers unless digits are typed text.
  var tabLabels: [(tab: AppTab, text: String, columns: Range<Int>)] {
    let tabs = tabs
    let labels = tabs.enumerated().map { index, tab in
      let label = isTyping ? tab.title : "\(index + 1) \(tab.title)"
      return tab == self.tab ? "[\(label)]" : label
    }
    let present = tabs.firstIndex(of: tab) ?? 0
    var gap = 2
    func fits(_ first: Int, _ last: Int) -> Bool {
      guard first >= 0, last < labels.count else { return false }
      return labels[first...last].reduce(2) { $0 + DisplayWidth.columns($1) + gap } <= columns
    }
    if !fits(0, labels.count - 1) { gap = 1 }
    var (first, last) = (present, present)
    while true {
      if fits(first, last + 1) { last += 1 } else if fits(first - 1, last) { first -= 1 } else { break }
    }
    var column = first > 0 ? 1 : 0
    return (first...last).map { index in
      let start = column + gap
      column = start + DisplayWidth.columns(labels[index])
      return (tabs[index], labels[index], start..<column)
    }
  }

  private func drawTabs(in frame: inout Frame) {
    let labels = tabLabels
    guard let first = labels.first, let last = labels.last else { return }
    if first.tab != tabs.first { frame.put("‹", row: 1, column: 0) }
    for label in labels {
      frame.put(
        label.text, row: 1, column: label.columns.lowerBound,
        style: label.tab == tab ? .selected : isTyping ? .faint : .plain)
    }
    if last.tab != tabs.last {
      frame.put("›", row: 1, column: last.columns.upperBound + (columns > last.columns.upperBound + 2 ? 1 : 0))
    }
  }

  // MARK: Help

  /// The help: the keys of this page, then those of all pages, and where to read more.
  var helpLines: [AppNotice] {
    var keys: [(String, String)] = []
    if question != nil {
      keys = [("y", "yes"), ("n Esc", "no")]
    } else if form != nil {
      keys = [
        ("Enter", "the next field; in the last one, submit"),
        ("Tab ↓", "the next field; Tab accepts a suggested name"),
        ("Shift-Tab ↑", "the previous field"), ("Esc", "leave"), ("Ctrl-U -W", "delete the text, or a word"),
        ("Ctrl-A -E", "move to the start or the end of the text"),
      ]
      if form?.hasCode == true { keys.append(("Ctrl-T", "show the code that you type, or hide it")) }
      if form?.plan.secret != nil { keys.append(("Ctrl-Y", "ask the terminal to copy the secret")) }
      if form?.isLogin == true { keys.append(("Ctrl-R", "set a new password with a code, if you forgot it")) }
    } else if isFiltering {
      keys = [("Enter", "keep the filter"), ("Esc", "clear it")]
    } else {
      keys = (rowOfLetters?.letters ?? []).map { (String($0.key), $0.label) }
      if tab == .accounts, menu == nil { keys.append(("s", "sort by name, or by the last login")) }
      if canFilter { keys.append(("/", "filter the list")) }
      keys += [
        ("↑ ↓ k j", "move up or down, also Ctrl-P -N"), ("PgUp PgDn", "a screen up or down, also Ctrl-B -F"),
        ("Ctrl-U -D", "half a screen up or down"), ("Home End", "the first or the last line, also g G"),
        ("Enter", "do what the bottom bar says"), ("Tab → l", "the next tab; Shift-Tab ← h: the previous one"),
        ("1 2 3 …", "open a tab"), ("Esc", "back"), ("q", "quit"), ("L", "log in or log out"),
        ("m", "how the session works"), ("M", "give the mouse to the terminal, or take it back"),
      ]
    }
    keys += [("F1 ?", "this help; in a field only F1"), ("Ctrl-L", "draw the screen again")]
    let lines = keys.flatMap { key, text in
      let rest = Paragraph.wrap(text, width: columns, indent: 12)
      return [DisplayWidth.pad(key, to: 12) + (rest.first ?? "").dropFirst(12)] + rest.dropFirst()
    }
    return AppNotice.lines(lines + [""], .plain)
      + AppNotice.wrap(
        "Changes from other terminals show here immediately. The commands do the same without a screen: auth-cli help.",
        width: columns)
  }

  // MARK: The messages and keys at the bottom

  private func drawFoot(in frame: inout Frame) {
    let said = said
    let end = rows - (hasNoticeRow ? 1 : 0)
    for row in (end - said.count)..<end { frame.put(String(repeating: " ", count: columns), row: row, column: 0) }
    frame.put(said, AppArea(top: end - said.count, bottom: end))
    if !said.isEmpty, !hasNoticeRow { return }
    let position = position
    let start = columns - DisplayWidth.columns(position)
    let isShown = !position.isEmpty && start > 20
    if isShown { frame.put(position, row: rows - 1, column: start, style: .faint) }
    frame.put(foot(width: isShown ? start - 2 : columns), row: rows - 1, column: 0, style: .faint)
  }

  /// The position of the selected row, such as "3 of 40", or the visible lines, if not all show.
  private var position: String {
    guard interruption == nil, !showsHelp, form == nil, let page else { return "" }
    if page.machine != nil { return machineLines ?? "" }
    let rows = rowsShown
    guard let selected = selected(in: rows), rows.count > list.height else { return "" }
    return "\(selected + 1) of \(rows.count)\(page.part == nil ? "" : "+")"
  }

  /// The messages above the bottom bar, at most ``mostSaid`` lines.
  private var said: [AppNotice] {
    guard interruption != nil || !showsHelp else { return [] }
    if interruption == nil, let question {
      let lines = hasRoomForQuestion ? lines(of: question) : ["The terminal is too small."]
      return AppNotice.lines(lines.map { DisplayWidth.truncate($0, to: columns) }, .strong)
    }
    var said = ending ?? notice
    if let ending, let notice { said = AppNotice("\(notice.text) \(ending.text)", notice.style) }
    if isWorkLong, !isWaiting { said = AppNotice(workWords, .strong) }
    if form?.isLeaving == true { said = AppNotice("Esc again leaves; what you typed is lost.", .strong) }
    if interruption != nil { said = keepingNotice }
    guard let said else { return [] }
    var lines = Paragraph.wrap(TextEscaping.escape(said.text), width: columns)
    if lines.count > mostSaid { lines = lines[..<(mostSaid - 1)] + [lines[(mostSaid - 1)...].joined(separator: " ")] }
    return AppNotice.lines(lines.map { DisplayWidth.truncate($0, to: columns) }, said.style)
  }

  /// The maximum number of rows for messages, so that the page keeps some.
  private var mostSaid: Int { max(1, rows - 7) }

  private func lines(of question: AppQuestion) -> [String] {
    Paragraph.wrap(TextEscaping.escape(question.text + balanceAfter(question)) + " y/n", width: columns)
  }

  /// Whether the open question shows in full; otherwise the user cannot answer yes.
  var hasRoomForQuestion: Bool {
    question.map { lines(of: $0) }.map { lines in
      lines.count <= mostSaid && lines.allSatisfy { DisplayWidth.columns($0) <= columns }
    } ?? true
  }

  /// The balance after the action of the question, as a sentence.
  private func balanceAfter(_ question: AppQuestion) -> String {
    guard let cost = question.cost, let balance = self[.pay].page?.balance else { return "" }
    return " After this you have \(Amount.text(balance - cost))."
  }

  /// The progress message of the running action, with its duration so far.
  var workWords: String {
    var words = (work?.traits.progress ?? "") + "…"
    if seconds > 0 { words += " \(seconds) s" }
    if isQuitting { words += " Then the program ends; q ends it now." }
    return words
  }

  /// The bottom bar, with as many keys as fit.
  private func foot(width: Int) -> String {
    var foot = ""
    for key in keys(isNarrow: width < 60) {
      let longer = foot.isEmpty ? key : foot + "  " + key
      if DisplayWidth.columns(longer) <= width { foot = longer }
    }
    return foot
  }

  /// The keys that work here, the most useful first.
  private func keys(isNarrow: Bool) -> [String] {
    if let overlay {
      let scroll = overlay.count > body.height ? ["↑↓ scroll"] : []
      if interruption != nil { return scroll + (isQuiet ? keysOfInterruption : []) }
      return scroll + [scroll.isEmpty ? "any key: back" : "other keys: back"]
    }
    if question != nil { return hasRoomForQuestion ? ["y yes", "n no"] : ["n no"] }
    if let form { return keys(of: form) }
    if isFiltering { return ["Enter done", "Esc clear"] }
    let selected = selectedRow
    let letters = (rowOfLetters?.letters ?? []).map { "\($0.key) " + ($0.key == "y" ? "copy" : $0.label) }
    let verb = selected.flatMap { $0.menu == nil ? $0.choice?.label : "details" }
    let isSorted = tab == .accounts && menu == nil && page != nil
    // If there is room, the keys that are the same for every row come first, so that a move of the
    // selection redraws little.
    let keys = ["? help", verb.map { "Enter " + (isNarrow ? $0 : DisplayWidth.pad($0, to: 9)) }]
    let others = [
      isSorted ? "s sort by " + (otherOrder == .name ? "name" : "last login") : nil,
      menu != nil ? "Esc back" : filter.text.isEmpty ? nil : "Esc clear",
      machineLines != nil ? "↑↓ scroll" : selected.map { _ in "↑↓ choose" }, "q quit",
      selected != nil && canFilter ? "/ filter" : nil,
    ]
    // A menu already has a row for each letter.
    let all = keys + (isNarrow && menu == nil ? letters + others : others + letters)
    return all.compactMap(\.self) + ["Tab next", isLoggedIn ? "L log out" : "L log in"]
  }

  private var keysOfInterruption: [String] {
    guard interruption?.codes != nil else { return ["Enter or Esc: go on"] }
    let keys = ["y copy", columns < 60 ? "w save" : "w save to a file"]
    return keeping.isClosing ? ["c close", "Esc back"] + keys : keys + ["Esc close"]
  }

  private func keys(of form: AppForm) -> [String] {
    if isWaiting { return ["Esc leave"] }
    let isLast = form.focus == form.fields.count - 1
    let tab = completion(of: form) ?? (form.fields.count > 1 ? "field" : nil)
    let keys = [
      "Enter " + (isLast ? form.plan.verb : "next"), form.isTab ? "Esc leave" : "Esc cancel",
      form.plan.secret.map { _ in "Ctrl-Y copy it" },
      form.hasCode ? (form.showsCode ? "Ctrl-T hide" : "Ctrl-T show") : nil, tab.map { "Tab " + $0 },
      form.isTab && form.fields[form.focus].text.isEmpty ? "←→ tabs" : nil,
      form.isLogin ? "Ctrl-R forgotten?" : nil, "F1 help",
    ]
    return keys.compactMap(\.self)
  }
}

extension AppNotice {
  /// Splits text into lines of this width; spaces inside the text stay as they are.
  static func wrap(_ text: String, _ style: CellStyle = .plain, width: Int) -> [AppNotice] {
    lines(text.isEmpty ? [] : DisplayWidth.split(text, to: max(20, width), indent: ""), style)
  }

  static func lines(_ texts: [String], _ style: CellStyle = .plain) -> [AppNotice] {
    texts.map { AppNotice($0, style) }
  }
}

/// A range of rows of the frame; `bottom` is the row after the last one.
struct AppArea {
  var top: Int
  var bottom: Int

  var height: Int { max(0, bottom - top) }
}

extension Frame {
  /// Draws the lines from the index `first` on, as many as fit into the area.
  mutating func put(
    _ lines: [AppNotice], from first: Int = 0, _ area: AppArea, column: Int = 0, width: Int = .max
  ) {
    for (offset, line) in lines.dropFirst(first).prefix(area.height).enumerated() {
      put(line.text, row: area.top + offset, column: column, width: width, style: line.style)
    }
  }
}
