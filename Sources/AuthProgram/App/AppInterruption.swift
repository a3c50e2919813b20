import AuthBackend
import AuthCore
import CommandLineKit

/// A page that comes without being asked for, while somebody may be typing: it takes nothing but
/// Enter or Esc, and these only after a moment without a key, so that the rest of a password goes
/// nowhere.
enum AppInterruption {
  /// The session ended; the sentence says why.
  case ended(String)
  /// A form cannot be used; the sentence says why.
  case refused(String)
  /// A code that is shown once.
  case code(OneTimeCode)

  /// For how long no key may come before one counts.
  static let quiet = Duration.milliseconds(300)

  /// What it says, in lines of so many columns.
  func lines(width: Int, height: Int) -> [AppNotice] {
    let space = [AppNotice("", .plain)]
    switch self {
    case .ended(let sentence), .refused(let sentence):
      return AppNotice.wrap(sentence, .bad, width: width) + space
        + AppNotice.wrap("What you type here goes nowhere.", width: width)
    case .code(let code):
      let name = code.user.username
      let lines =
        AppNotice.lines(DisplayWidth.split(code.code.text, to: width, indent: ""), .strong) + space
        + AppNotice.wrap(
          "It works once, within \(Deadlines.words(code.validFor)), and sets a new password: auth-cli recover \(name). "
            + "It is not shown again.", width: width)
      guard height > lines.count + 1 else { return lines }
      return [AppNotice("Give this one-time code to \(name):", .plain)] + space + lines
    }
  }
}

extension AppState {
  /// Shows the page in place of all else.
  func interrupt(_ interruption: AppInterruption) {
    (self.interruption, lastKey) = (interruption, now)
  }

  /// Whether a key that leaves the interruption counts.
  var isQuiet: Bool { now >= lastKey + AppInterruption.quiet }

  /// Takes a key while the interruption shows.
  func leaveInterruption(_ key: Key) {
    switch key {
    case .enter, .escape: if isQuiet { interruption = nil }
    case _: break
    }
    lastKey = now
  }
}
