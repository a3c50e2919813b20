import AuthCore
import AuthMessages
import CommandLineKit

// The actions of the full-screen program: their start, their end, and what follows.

extension AppState {
  /// Whether an action can start; shows a message if another one is running.
  func canStart() -> Bool {
    if work != nil { refuse("Another action is still running. Try again in a moment.") }
    return work == nil
  }

  func perform(_ action: AppAction) -> AppEffect? {
    guard canStart() else { return nil }
    (work, workBegan, sender, notice) = (action, now, form, nil)
    return .perform(action)
  }

  func finish(_ action: AppAction, _ result: Result<AppResult, CommandError>) -> AppEffect? {
    // Only the form that started the action shows its result.
    let isHere = form === sender
    if draft === sender { draft = nil }
    (work, sender) = (nil, nil)
    if isQuitting, case .failure(let problem) = result {
      lastProblem = problem
      return .quit
    }
    defer { isQuitting = false }
    switch result {
    case .success(let outcome):
      if let page = outcome.page { interrupt(page) } else if isQuitting { return .quit }
      let effect = succeed(action, outcome.done, isHere: isHere)
      if isHere, let purpose = outcome.form { form = AppForm(purpose) }
      if isHere, let question = outcome.question { self.question = question }
      return effect
    case .failure(let problem):
      // The notice may say that the action continues.
      notice = nil
      // Checks of the session had to wait for the login.
      if !isRestored { nextCheck = now }
      return isHere ? fail(action, problem) : failElsewhere(problem)
    }
  }

  /// Handles the failure of an action whose form was closed.
  private func failElsewhere(_ problem: CommandError) -> AppEffect? {
    guard problem.code == ErrorCode.codeMissing.code else { return warn(problem) }
    let effect = perform(.cancelAnswer)
    refuse("A code is also needed, and you had left the form. Begin again.")
    return effect
  }

  private func fail(_ action: AppAction, _ problem: CommandError) -> AppEffect? {
    switch ErrorCode(code: problem.code) {
    // The action runs after the password was entered.
    case .passwordNotRecent:
      form = AppForm(.reauthenticate(then: action), covering: form)
      return nil
    case .codeMissing:
      form?.clearSecrets()
      form = AppForm(.secondStep(of: action), covering: form)
      return nil
    // Return to the password, which must be entered again.
    case .challengeOver: if case .secondStep = form?.purpose { uncover() }
    case _: break
    }
    // Meanwhile another process logged in, so a login form cannot be used any more.
    if isLoggedIn, form?.isLogin == true { dropForm() }
    guard let form else { return warn(problem) }
    form.clearSecrets(after: problem)
    form.show(problem.onScreen(isLoggedIn: isLoggedIn), at: now)
    return nil
  }

  private func succeed(_ action: AppAction, _ text: String, isHere: Bool) -> AppEffect? {
    let purpose = isHere ? form?.purpose : nil
    // The notice says why the action was cancelled.
    if action == .cancelAnswer, notice != nil { return nil }
    if text.isEmpty { notice = nil } else { say(text) }
    switch action {
    case .logIn:
      guard case .logIn(let then, _) = purpose else { return nil }
      dropForm()
      return open(then, keepingNotice: true)
    case .answer:
      guard case .secondStep(let first) = purpose else { return nil }
      uncover()
      if case .changePassword = first { return perform(first) }
      return succeed(first, text, isHere: true)
    case .reauthenticate:
      guard case .reauthenticate(let then) = purpose else { return nil }
      uncover()
      return perform(then)
    case .confirm, .renewAccess: return refresh()
    case .cancelAnswer, .logOut, .change(.makeRecoveryCodes), .change(.beginTwoStep), .change(.deleteAccount):
      return nil
    case .register(let credentials):
      isEmpty = false
      if isHere { enter(as: credentials.username) }
    case .recover(let name, _, _): if isHere { enter(as: name) }
    case .pay: if case .pay = purpose { form = newPayment() }
    case .rename, .changePassword, .change, .administer:
      if isHere, form?.isTab == false { dropForm() }
      if case .change(.confirmTwoStep) = action { lacksTwoStep = false }
      // The account is gone, and its menu with it, before the list is loaded again.
      if case .administer(.delete) = action { menu = nil }
    }
    return refresh()
  }

  /// Opens the login form after a new account or a new password, unless the user is logged in.
  private func enter(as username: String) {
    dropForm()
    tab = .home
    if !isLoggedIn { form = AppForm(.logIn(then: .home, username: username)) }
  }

  /// Closes the form, and wipes the passwords that were typed into it.
  func dropForm() {
    form?.clearSecrets()
    form = nil
  }

  /// Closes the form, and opens the one that it covers, if any.
  func uncover() {
    form?.clearSecrets()
    form = form?.covered
  }
}
