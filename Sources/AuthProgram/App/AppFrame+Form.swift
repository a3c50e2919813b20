import CommandLineKit
import TextFormat

extension AppState {
  /// Draws the form, with the line that is typed in between brackets, and the message below.
  func draw(_ form: AppForm, in frame: inout Frame, _ area: AppArea) {
    var label = 2
    for field in form.fields { label = max(label, DisplayWidth.columns(field.label) + 2) }
    var area = area
    let below = message(of: form)
    if area.height >= form.fields.count + 2 {
      let end = frame.put(form.title, row: area.top, column: 0, style: .strong)
      if form.isTab, let balance = self[tab].page?.lines.first { frame.put(balance, row: area.top, column: end + 2) }
      area.top += area.height >= form.fields.count + 5 ? 2 : 1
    }
    // Where there is no room for all fields, the one with the cursor is there.
    let count = max(1, min(form.fields.count, area.height - (below.isEmpty ? 0 : 1)))
    let first = min(max(0, form.focus - count + 1), form.fields.count - count)
    let width = max(0, min(40, columns - label - 2))
    for (offset, index) in (first..<(first + count)).enumerated() {
      let (row, field, isFocus) = (area.top + offset, form.fields[index], index == form.focus)
      frame.put(field.label, row: row, column: 0, style: isFocus ? .strong : .plain)
      let (text, cursor) = field.visible(width: width)
      frame.put(text, row: row, column: label + 1, width: width, style: field.isSecret ? .faint : .plain)
      if isFocus, !isWaiting, let name = completion(of: form) {
        let rest = String(name.dropFirst(field.text.count))
        frame.put(rest, row: row, column: label + 1 + cursor, width: width - cursor, style: .faint)
      }
      if isFocus {
        frame.put("[", row: row, column: label)
        frame.put("]", row: row, column: label + width + 1)
        if !isWaiting, question == nil {
          frame.cursor = .init(row: row, column: min(columns - 1, label + 1 + cursor))
        }
      }
    }
    area.top += count
    if area.height > 3 { area.top += 1 }
    frame.put(below, area)
    area.top += below.count + 1
    if !form.picture.isEmpty {
      let fits = area.height >= form.picture.count && columns >= DisplayWidth.columns(form.picture[0])
      let advice = "A larger terminal shows it as a QR code, too."
      frame.put(fits ? AppNotice.lines(form.picture, .plain) : AppNotice.wrap(advice, .faint, width: columns), area)
    }
  }

  /// The message below the fields: that work is going on, or what is wrong and a hint.
  private func message(of form: AppForm) -> [AppNotice] {
    if isWaiting, isWorkLong { return AppNotice.wrap(workWords, .strong, width: columns) }
    return AppNotice.wrap(form.problem?.sentence ?? "", .bad, width: columns)
      + AppNotice.wrap(hint(of: form), width: columns)
      + AppNotice.wrap(form.advice, .faint, width: columns)
  }
}

extension AppState {
  /// What to do about what is wrong; a wait as it is now.
  private func hint(of form: AppForm) -> String {
    guard let problem = form.problem else { return "" }
    guard let end = form.waitEnd else { return problem.hint.description }
    return end > now ? "Try again in \(Deadlines.wait(end - now))." : "You can try again now."
  }
}

extension AppInput {
  /// What shows of the line in so many columns, and in which of them the cursor is.
  fileprivate func visible(width: Int) -> (String, Int) {
    if isSecret { return (isEmpty ? "" : "(typed, not shown)", 0) }
    var before = ""
    for character in text.prefix(cursor) {
      before.append(contentsOf: TextEscaping.escape(String(character)))
    }
    let after = TextEscaping.escape(String(text.dropFirst(cursor)))
    // The end of a long line shows, up to the cursor.
    while DisplayWidth.columns(before) > max(0, width - 1), !before.isEmpty { before.removeFirst() }
    return (before + after, DisplayWidth.columns(before))
  }
}
