import AuthAccounts
import AuthCore
import CommandLineKit
import TextFormat

extension AppState {
  /// Handles a key or a click, and returns the effect to carry out.
  func press(_ key: Key) -> AppEffect? {
    if wanted.take() != nil { notice = nil }
    if interruption != nil { return leaveInterruption(key) }
    if key != .escape { form?.isLeaving = false }
    if case .click(let row, let column) = key { return click(row, column) }
    let lines = lines(for: key)
    if showsHelp {
      if let lines, helpLines.count > body.height { overlayTop += lines } else { showsHelp = false }
      return nil
    }
    if key == .help { return showHelp() }
    if let question { return answer(question, key) }
    if form != nil { return fill(key) }
    if isFiltering { return type(key) }
    if let lines { return move(by: lines) }
    switch key {
    case .character("q"): return quit()
    case .character("?"): return showHelp()
    case .character("m"): return open(.machine)
    case .character("L"): return choose(buttonChoice)
    case .character("/") where canFilter: (isFiltering, notice) = (true, nil)
    case .character(let digit) where ("1"..."9").contains(digit):
      let index = Int(digit.value - 0x31)
      return index < tabs.count ? open(tabs[index]) : nil
    case .tab, .right, .character("l"): return step(by: 1)
    case .backTab, .left, .character("h"): return step(by: -1)
    case .enter: return enter()
    case .escape:
      if menu != nil || notice != nil || !filter.text.isEmpty {
        if menu == nil { filter.clear() }
        (menu, notice) = (nil, nil)
      } else if tab != .home {
        return open(.home)
      }
    case .character("s") where tab == .accounts && menuRow == nil:
      self[tab].asked.order = otherOrder
      return .load(tab, isActivity: true, self[tab].asked)
    case .character("M"):
      readsMouse.toggle()
      say(readsMouse ? "The mouse chooses and scrolls here." : "The terminal has the mouse now, to select text.")
    case .character(let letter):
      return rowOfLetters?.letters.first { $0.key == letter }.flatMap { choose($0.choice) }
    case .paste, .unusablePaste:
      refuse("Text can be pasted only into a field.")
    case _: break
    }
    return nil
  }

  /// The row whose letter keys work: the one with the open menu, or the selected one.
  var rowOfLetters: AppRow? { menuRow ?? selectedRow }

  var selectedRow: AppRow? { selected.map { rowsShown[$0] } }

  /// The number of lines by which a key moves; nil for other keys.
  func lines(for key: Key) -> Int? {
    let screen = max(1, overlay == nil ? list.height : body.height)
    return switch key {
    case .up, .character("k"), .control("p"): -1
    case .down, .character("j"), .control("n"): 1
    case .scrollUp: -3
    case .scrollDown: 3
    case .control("u"): -max(1, screen / 2)
    case .control("d"): max(1, screen / 2)
    case .pageUp, .control("b"): -screen
    case .pageDown, .control("f"): screen
    case .home, .character("g"): -.max / 2
    case .end, .character("G"): .max / 2
    case _: nil
    }
  }

  /// Whether the open page is a list with rows to filter.
  var canFilter: Bool { tab != .home && menuRow == nil && !(page?.rows ?? []).isEmpty }

  /// The order of accounts to which `s` switches.
  var otherOrder: AccountsQuery.Order { self[.accounts].asked.order == .name ? .lastLogin : .name }

  private func enter() -> AppEffect? {
    guard let row = selectedRow else { return nil }
    guard row.menu != nil else { return row.choice.flatMap { choose($0) } }
    (menu, notice) = (AppList(menuOf: row.id), nil)
    return move(by: 0)
  }

  func step(by count: Int) -> AppEffect? {
    let index = tabs.firstIndex(of: tab) ?? 0
    return open(tabs[(index + count + tabs.count) % tabs.count])
  }

  /// Moves the cursor by this number of rows, and remembers the name of its row; scrolls a page
  /// without rows.
  @discardableResult
  func move(by count: Int) -> AppEffect? {
    if page?.machine != nil { list.top += count }
    let rows = rowsShown
    guard let selected = selected(in: rows) else { return nil }
    list.index = min(max(0, selected + count), rows.count - 1)
    list.id = rows[list.index].id
    return nil
  }

  private func showHelp() -> AppEffect? {
    (showsHelp, overlayTop) = (true, 0)
    return nil
  }

  /// Scrolls to the selected row, and stores the visible range.
  func scroll() {
    overlayTop = max(0, min(overlayTop, (overlay?.count ?? 0) - body.height))
    guard let page else { return }
    if let machine = machineLayout {
      (list.top, list.height) = (max(0, min(list.top, machine.lines.count - body.height)), body.height)
      return
    }
    let layout = layout(of: page)
    (list.top, list.height) = (layout.indices.lowerBound, layout.rows.height)
  }

  /// The choice behind the button of the navigation bar.
  private var buttonChoice: AppChoice { user.map { .ask(.logOut($0)) } ?? logInChoice }

  /// Opens the clicked tab, or selects the clicked row; a click on the selected row opens it.
  private func click(_ row: Int, _ column: Int) -> AppEffect? {
    guard !showsHelp, question == nil else { return nil }
    if let form, !isWaiting {
      let layout = layout(of: form, body)
      if column < layout.columns, case let field = layout.fields.lowerBound + row - layout.top,
        layout.fields.contains(field)
      {
        form.focus = field
        return nil
      }
    }
    guard form == nil || form?.isTab == true else { return nil }
    if row == 0 { return column >= buttonStart && form == nil ? choose(buttonChoice) : nil }
    if row == 1 { return tabLabels.first { $0.columns.contains(column) }.flatMap { open($0.tab) } }
    guard form == nil, let page, page.machine == nil else { return nil }
    let layout = layout(of: page)
    guard column < layout.listWidth, let index = layout.indices.first(where: { layout.row(of: $0) == row }) else {
      return nil
    }
    isFiltering = false
    return index == selected ? enter() : move(by: index - (selected ?? 0))
  }

  private func answer(_ question: AppQuestion, _ key: Key) -> AppEffect? {
    switch key {
    case .character("n"), .character("N"), .escape: self.question = nil
    case .character("y"), .character("Y"):
      guard hasRoomForQuestion else { break }
      self.question = nil
      return perform(question.action)
    case _: break
    }
    return nil
  }

  private func type(_ key: Key) -> AppEffect? {
    switch key {
    case .enter, .down, .up: isFiltering = false
    case .escape:
      filter.clear()
      isFiltering = false
    case .backspace where filter.text.isEmpty: isFiltering = false
    case _: notice = filter.edit(key).map { AppNotice($0, .bad) }
    }
    return nil
  }

  // MARK: Forms

  /// Handles a key in a form.
  func fill(_ key: Key) -> AppEffect? {
    guard let form else { return nil }
    let isStep = if case .secondStep = form.purpose { true } else { false }
    guard !isWaiting else {
      // The action continues without the form.
      if case .escape = key, !isStep { return leaveForm() }
      return nil
    }
    notice = nil
    let isSure = form.isLeaving || !form.losesInput
    form.isLeaving = false
    let field = form.fields[form.focus]
    let last = form.fields.count - 1
    switch key {
    case .control("r") where form.isLogin:
      dropForm()
      self.form = AppForm(.recover(username: form.fields[0].text))
    // An Escape may also be the start of an arrow key, whose rest comes late.
    case .escape where !isSure: form.isLeaving = true
    case .escape where isStep:
      uncover()
      return perform(.cancelAnswer)
    case .escape: return leaveForm()
    case .control("y") where form.plan.secret != nil:
      notice = Self.askedToCopy
      return .copySecret
    case .control("t") where form.hasCode: form.showsCode.toggle()
    case .right where form.isTab && field.text.isEmpty: return step(by: 1)
    case .left where form.isTab && field.text.isEmpty: return step(by: -1)
    case .tab, .down,
      .right where completion(of: form) != nil:
      if key != .down, let name = completion(of: form) { _ = field.insert(String(name.dropFirst(field.text.count))) }
      form.focus = (form.focus + 1) % form.fields.count
    case .backTab, .up: form.focus = (form.focus + last) % form.fields.count
    case .enter where form.focus < last: form.focus += 1
    case .enter:
      let isRepeated = form.problem?.code == BackendError.FailureCode.outcomeUnknown.rawValue
      guard let action = form.submit() else { return nil }
      guard case .pay(let amount, let payee, _) = action else { return perform(action) }
      if isOwn(payee.canonical) {
        form.problem = .mistake("You cannot pay yourself.", code: BackendError.Code.payeeIsPayer.text.code)
        return nil
      }
      // The first attempt may have paid already, so the balance says nothing.
      let cost = isRepeated ? nil : amount.minorUnits
      if let cost, let balance = self[.pay].page?.balance, balance < cost {
        form.problem = .mistake("You have only \(Amount.text(balance)).", code: Self.tooLittle)
        return nil
      }
      question = AppQuestion(text: "Pay \(amount) to \(payee)?", action: action, cost: cost)
    case _:
      form.edited(field.edit(key).map { .mistake($0) }, at: now)
    }
    return nil
  }

  /// Whether a name, in small letters, is that of the user who is logged in.
  private func isOwn(_ name: String) -> Bool { user?.username.lowercased() == name }

  /// The known name that starts with the typed text.
  func completion(of form: AppForm) -> String? {
    form.fields[form.focus].isEmpty ? nil : candidates(of: form).first
  }

  /// The known names that start with the typed text, without the one that is typed already.
  func candidates(of form: AppForm) -> [String] {
    let field = form.fields[form.focus]
    guard form.focus == 0, !field.isSecret, field.after.isEmpty else { return [] }
    let accounts = (self[.accounts].page?.rows ?? []).filter { $0.menu != nil }.map(\.id)
    let names: [String] =
      switch form.plan.names {
      case .none: []
      case .users: knownUsers
      case .payees: ((self[.pay].page?.names ?? []) + accounts).filter { !isOwn($0) }
      }
    let typed = field.text.lowercased()
    return names.filter { $0.hasPrefix(typed) && $0.count > typed.count }.distinct
  }

  private func leaveForm() -> AppEffect? {
    if isWaiting, let work { notice = AppNotice("\(work.traits.progress) continues; its result shows here.", .strong) }
    if case .reauthenticate = form?.purpose {
      uncover()
      return nil
    }
    dropForm()
    draft = nil
    // What was paid here has changed what Home shows.
    return tab == .pay || self[tab].page == nil ? open(.home, keepingNotice: true) : nil
  }
}
