import CommandLineKit

extension AppState {
  /// Does what a key means here.
  mutating func press(_ key: Key) -> [AppEffect] {
    if isHelpShown {
      isHelpShown = false
      return []
    }
    if code != nil {
      if key == .enter || key == .escape { code = nil }
      return []
    }
    if let question { return answer(question, key) }
    if form != nil { return fill(key) }
    if isFiltering { return type(key) }
    switch key {
    case .character("q"): return quit()
    case .character("?"): isHelpShown = true
    case .character("m"): return open(.machine)
    case .character("l"): return choose(user == nil ? .fill(.logIn(then: tab)) : .ask(.logOut))
    case .character("/") where canFilter: (isFiltering, notice) = (true, nil)
    case .character(let digit) where ("1"..."9").contains(digit):
      let index = Int(digit.value - 0x31)
      return index < tabs.count ? open(tabs[index]) : []
    case .tab, .right: return step(by: 1)
    case .backTab, .left: return step(by: -1)
    case .up, .character("k"): move(by: -1)
    case .down, .character("j"): move(by: 1)
    case .pageUp: move(by: -max(1, rows - 6))
    case .pageDown: move(by: max(1, rows - 6))
    case .home, .character("g"): move(by: -.max / 2)
    case .end, .character("G"): move(by: .max / 2)
    case .enter: return enter()
    case .escape:
      if menu != nil || notice != nil || !filter.isEmpty {
        if menu == nil { filter = "" }
        (menu, notice) = (nil, nil)
      } else if tab != .home {
        return open(.home)
      }
    case .paste, .unusablePaste:
      notice = AppNotice(text: "Text can be pasted where something is to be typed.", style: .bad)
    case .character, .control, .backspace, .delete, .unknown: break
    }
    return []
  }

  /// Whether the rows that are open are a list of something.
  var canFilter: Bool { tab != .home && menuRow == nil && !(page?.rows ?? []).isEmpty }

  private mutating func enter() -> [AppEffect] {
    guard let selected else { return [] }
    let row = rowsShown[selected]
    if row.menu != nil {
      (menu, notice) = (AppPosition(menuOf: row.id), nil)
      return []
    }
    return row.choice.map { choose($0) } ?? []
  }

  private mutating func step(by count: Int) -> [AppEffect] {
    let index = tabs.firstIndex(of: tab) ?? 0
    return open(tabs[(index + count + tabs.count) % tabs.count])
  }

  private mutating func move(by count: Int) {
    let rows = rowsShown
    guard let selected = selected(in: rows) else { return }
    let index = min(max(0, selected + count), rows.count - 1)
    position = AppPosition(menuOf: menu?.menuOf, index: index, id: rows[index].id)
  }

  private mutating func answer(_ question: AppQuestion, _ key: Key) -> [AppEffect] {
    switch key {
    case .character("n"), .character("N"), .escape: self.question = nil
    case .character("y"), .character("Y"):
      self.question = nil
      return perform(question.action)
    case .character, .control, .enter, .tab, .backTab, .backspace, .delete, .up, .down, .left, .right, .home, .end,
      .pageUp, .pageDown, .paste, .unusablePaste, .unknown:
      break
    }
    return []
  }

  private mutating func type(_ key: Key) -> [AppEffect] {
    switch key {
    case .enter, .down, .up: isFiltering = false
    case .escape: (filter, isFiltering) = ("", false)
    case .backspace where filter.isEmpty: isFiltering = false
    case _:
      var input = AppInput(filter)
      notice = input.edit(key).map { AppNotice(text: $0, style: .bad) }
      filter = input.text
    }
    return []
  }

  private mutating func fill(_ key: Key) -> [AppEffect] {
    guard var form else { return [] }
    let isStep = if case .secondStep = form.purpose { true } else { false }
    guard work == nil else {
      // What is under way goes on; nobody has to wait for it.
      if key == .escape, !isStep { leaveForm() }
      return []
    }
    notice = nil
    let isEmpty = form.fields[form.focus].input.text.isEmpty
    switch key {
    case .escape where isStep:
      uncover()
      return perform(.cancelAnswer)
    case .escape:
      leaveForm()
      return []
    case .tab where form.isTab && form.focus == form.fields.count - 1: return step(by: 1)
    case .backTab where form.isTab && form.focus == 0: return step(by: -1)
    case .right where form.isTab && isEmpty: return step(by: 1)
    case .left where form.isTab && isEmpty: return step(by: -1)
    case .tab, .down: form.focus = (form.focus + 1) % form.fields.count
    case .backTab, .up: form.focus = (form.focus + form.fields.count - 1) % form.fields.count
    case .enter where form.focus < form.fields.count - 1: form.focus += 1
    case .enter:
      let action = form.submit()
      self.form = form
      guard let action else { return [] }
      if case .pay(let amount, let payee, _) = action {
        question = AppQuestion(text: "Pay \(amount) to \(payee)?", action: action)
        return []
      }
      return perform(action)
    case _:
      // What was wrong is being mended.
      form.problem = form.fields[form.focus].input.edit(key).map {
        AppProblem(code: "not_taken", message: $0, hint: "")
      }
    }
    self.form = form
    return []
  }

  private mutating func leaveForm() {
    if let work { notice = AppNotice(text: "\(work.action.progress) goes on; its end shows here.", style: .strong) }
    if case .reauthenticate = form?.purpose {
      uncover()
      return
    }
    (form, draft) = (nil, nil)
    if tab == .pay { tab = .home }
  }
}
