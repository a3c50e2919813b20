import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

// The actions of the full-screen program: their start, their end, and what follows.

extension AppState {
  func perform(_ action: AppAction) -> AppEffect? {
    guard work == nil else {
      notice = AppNotice("Another action is still running. Try again in a moment.", .bad)
      return nil
    }
    (work, workBegan, sender) = (action, now, form)
    notice = nil
    return .perform(action)
  }

  func finish(_ action: AppAction, _ result: Result<AppOutcome, CommandError>) -> AppEffect? {
    // The result belongs to the form that began the action, and to no other.
    let isHere = form === sender
    if draft === sender { draft = nil }
    (work, sender) = (nil, nil)
    defer { isQuitting = false }
    switch result {
    case .success(let outcome):
      switch outcome.next {
      case .show(let page): interrupt(page)
      case .ask, .fill, nil: if isQuitting { return .quit }
      }
      let effect = succeed(action, outcome.done, isHere: isHere)
      switch outcome.next {
      case .fill(let purpose) where isHere: form = AppForm(purpose)
      case .ask(let question) where isHere: self.question = question
      case .show, .fill, .ask, nil: break
      }
      return effect
    case .failure(let problem): return fail(action, problem, isHere: isHere)
    }
  }

  private func fail(_ action: AppAction, _ problem: CommandError, isHere: Bool) -> AppEffect? {
    // The notice may say that the action continues.
    notice = nil
    guard isHere else {
      guard problem.code == ErrorCode.codeMissing.rawValue else {
        warn(problem)
        return refresh()
      }
      let effect = perform(.cancelAnswer)
      notice = AppNotice("A code is also needed, and you had left the form. Begin again.", .bad)
      return effect
    }
    switch problem.code {
    // The action runs after the password.
    case ErrorCode.passwordNotRecent.rawValue:
      form = AppForm(.reauthenticate(then: action), covering: form)
      return nil
    case ErrorCode.codeMissing.rawValue:
      form?.clearSecrets()
      form = AppForm(.secondStep(of: action), covering: form)
      return nil
    // The password is needed again.
    case ErrorCode.challengeOver.rawValue:
      if case .secondStep = form?.purpose { uncover() }
    case _: break
    }
    guard let form else {
      warn(problem)
      return refresh()
    }
    form.clearSecrets(after: problem)
    form.problem = problem.onScreen
    form.waitEnd = problem.wait.map { now + $0 }
    // The payee needs a correction.
    if form.isTab, problem.code == BackendError.Code.payeeUnknown.rawValue { form.focus = 0 }
    return nil
  }

  private func succeed(_ action: AppAction, _ text: String, isHere: Bool) -> AppEffect? {
    let purpose = isHere ? form?.purpose : nil
    // The reason for giving up matters more.
    if case .cancelAnswer = action, notice != nil { return nil }
    say(text)
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
    case .register(let credentials):
      if isHere { enter(as: credentials.username) }
      return refresh()
    case .recover(let name, _, _):
      if isHere { enter(as: name) }
      return refresh()
    case .beginTwoStep: notice = nil
    case .reauthenticate:
      guard case .reauthenticate(let then) = purpose else { return nil }
      uncover()
      return perform(then)
    case .pay:
      if case .pay = purpose { form = newPayment() }
      return refresh()
    case .cancelAnswer, .logOut, .makeRecoveryCodes, .deleteOwnAccount: break
    case .rename, .changePassword, .administer, .confirmTwoStep, .endTwoStep, .revoke, .revokeOthers:
      if isHere, form?.isTab == false { dropForm() }
      if case .confirmTwoStep = action { lacksTwoStep = false }
      // The account is gone, and its menu with it, before the list is loaded again.
      if case .administer(.delete) = action { menu = nil }
      return refresh()
    }
    return nil
  }

  /// After a new account or a new password: the user is logged in, or is asked to log in.
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

  /// Back to the form that the open one covers, if there is one.
  func uncover() {
    form?.clearSecrets()
    form = form?.covered
  }
}
