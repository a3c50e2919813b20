import AuthMessages
import CommandLineKit
import TextFormat

extension AppState {
  /// The positions of the parts of a form.
  struct FormLayout {
    /// The width of the form, without a QR code beside it.
    let columns: Int
    let title: [AppNotice]
    let message: [AppNotice]
    /// The row of the first visible field, and the visible fields.
    let top: Int
    let fields: Range<Int>
    let isPictureBeside: Bool
    let hasTitle: Bool
  }

  func layout(of form: AppForm, _ area: AppArea) -> FormLayout {
    let pictureWidth = form.plan.pictureWidth
    // The picture is beside the form if there is room, otherwise below it.
    let isBeside = pictureWidth > 0 && form.plan.picture.count <= area.height && pictureWidth + 38 <= columns
    let columns = isBeside ? columns - pictureWidth - 2 : columns
    let below = message(of: form, width: columns)
    let title = AppNotice.wrap(form.plan.title, .strong, width: columns)
    let hasTitle = area.height > form.fields.count + title.count
    var top = area.top
    if hasTitle {
      top += title.count + (area.height >= form.fields.count + below.count + title.count + 1 ? 1 : 0)
    }
    // If there is no room for all fields, the field with the cursor shows.
    let count = max(1, min(form.fields.count, area.bottom - top - (below.isEmpty ? 0 : 1)))
    let first = min(max(0, form.focus - count + 1), form.fields.count - count)
    return FormLayout(
      columns: columns, title: title, message: below, top: top, fields: first..<(first + count),
      isPictureBeside: isBeside, hasTitle: hasTitle)
  }

  /// Draws the form: the field with the cursor is between brackets, and the message is below.
  func draw(_ form: AppForm, in frame: inout Frame, _ area: AppArea) {
    let (picture, pictureWidth) = (form.plan.picture, form.plan.pictureWidth)
    let layout = layout(of: form, area)
    let (columns, below) = (layout.columns, layout.message)
    if layout.isPictureBeside { frame.put(AppNotice.lines(picture, .picture), area, column: columns + 2) }
    let label = 2 + (form.fields.map { DisplayWidth.columns($0.label) }.max() ?? 0)
    var area = area
    if layout.hasTitle {
      frame.put(layout.title, area)
      if form.isTab, let balance = self[tab].page?.lines.first {
        frame.put(balance, row: area.top, column: DisplayWidth.columns(form.plan.title) + 2)
      }
    }
    area.top = layout.top
    let width = max(0, min(40, columns - label - 2))
    for (offset, index) in layout.fields.enumerated() {
      let (row, field, isFocus) = (area.top + offset, form.fields[index], index == form.focus)
      frame.put(field.label, row: row, column: 0, style: isFocus ? .strong : .plain)
      let (text, cursor) = field.visible(width: width, isShown: form.showsCode && field.kind == .code)
      frame.put(text, row: row, column: label + 1, width: width, style: field.isSecret ? .faint : .plain)
      guard isFocus else { continue }
      frame.put("[", row: row, column: label)
      frame.put("]", row: row, column: label + width + 1)
      if isWaiting { continue }
      let rest = completion(of: form).map { String($0.dropFirst(field.text.count)) } ?? ""
      frame.put(rest, row: row, column: label + 1 + cursor, width: width - cursor, style: .faint)
      if question == nil { frame.cursor = .init(row: row, column: min(columns - 1, label + 1 + cursor)) }
    }
    area.top += layout.fields.count
    if area.height > below.count { area.top += 1 }
    frame.put(below, area)
    guard pictureWidth > 0, !layout.isPictureBeside else { return }
    area.top += below.count + 1
    let fits = picture.count <= area.height && pictureWidth <= columns
    let advice = AppNotice.wrap("A larger terminal also shows a QR code.", .faint, width: columns)
    frame.put(fits ? AppNotice.lines(picture, .picture) : advice, area)
  }

  /// The message below the fields: the progress of the work, or the problem and a hint.
  private func message(of form: AppForm, width: Int) -> [AppNotice] {
    if isWaiting, isWorkLong { return AppNotice.wrap(workWords, .strong, width: width) }
    let problem = form.problem.map { problem in
      // After too many attempts, the remaining time replaces the hint.
      let wait = form.wait.flatMap { wait in
        wait.problem != problem
          ? nil : wait.end > now ? "Try again in \((wait.end - now).asWait)." : "You can try again now."
      }
      return AppNotice.wrap(problem.sentence, .bad, width: width)
        + AppNotice.wrap(wait ?? problem.hint.description, width: width)
    }
    // What a new password needs is said once.
    if let problem, form.problem?.code.hasPrefix("password_") == true { return problem }
    let names = candidates(of: form).prefix(5).joined(separator: ", ")
    let known = names.isEmpty || isWaiting ? [] : AppNotice.wrap("Known: \(names)", .faint, width: width)
    let advice = form.plan.advice.split(separator: "\n").flatMap { AppNotice.wrap(String($0), .faint, width: width) }
    return (problem ?? []) + known + advice
  }

}

extension AppInput {
  /// The part of the text that fits into the width, and the column of the cursor.
  fileprivate func visible(width: Int, isShown: Bool) -> (String, Int) {
    if isSecret, !isShown { return (isEmpty ? "" : "(typed, not shown)", 0) }
    var before = (typedCode ?? before).escaped
    // Of a long line, the part before the cursor shows.
    while DisplayWidth.columns(before) > max(0, width - 1), !before.isEmpty { before.removeFirst() }
    return (before + after.escaped, DisplayWidth.columns(before))
  }
}
