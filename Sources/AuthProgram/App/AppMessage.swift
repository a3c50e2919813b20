import AuthCore
import AuthMessages
import CommandLineKit

/// What happened.
indirect enum AppMessage: Sendable {
  case key(Key)
  case resized(columns: Int, rows: Int)
  /// The navigation bar has this button now.
  case button(NavigationBar.Button)
  /// The screens of the user were dismissed; the sentence says why.
  case dismissed(String)
  case loaded(AppTab, Result<AppPage, CommandError>)
  /// An action ended.
  case finished(AppAction, Result<AppOutcome, CommandError>)
  /// A look at the session ended, with the reason if it failed.
  case looked(CommandError?, isEmpty: Bool = false)
  /// When the session ends by itself, if it does, and whether activity puts that off.
  case ends(in: Duration?, isIdle: Bool)
  /// Time went by.
  case tick
}

/// What to do.
enum AppEffect: Equatable, Sendable {
  /// Load these rows of the tab; it is activity of the session if a person asked for it.
  case load(AppTab, isActivity: Bool, AppQuery = AppQuery())
  /// Find out who is logged in.
  case look
  case perform(AppAction)
  /// Tell the session that somebody is there.
  case renew
  /// Put the text into the clipboard.
  case copy(String)
  case quit
}

/// The result of an action.
struct AppOutcome: Sendable {
  /// What follows an action.
  enum Next: Sendable {
    /// Show this once.
    case show(AppInterruption)
    case fill(AppForm.Purpose)
    case ask(AppQuestion)
  }

  /// What was done, as a sentence.
  let done: String
  let next: Next?

  init(_ done: String, next: Next? = nil) {
    (self.done, self.next) = (done, next)
  }
}
