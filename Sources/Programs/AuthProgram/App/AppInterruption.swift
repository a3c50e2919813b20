import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

/// A page that opens by itself, perhaps while the user is typing.
///
/// Only Enter and Esc close it, and only after a pause without keys: a user who is typing a
/// password does not close it by accident.
enum AppInterruption: Sendable {
  /// Why the session ended, or why a form cannot be used.
  case reason(String)
  /// A code that is shown once.
  case code(OneTimeCode)
  /// Recovery codes that are shown once.
  case codes([String])

  /// The pause without keys after which Enter and Esc close it.
  static let quiet = Duration.milliseconds(300)

  /// The text in lines of this width.
  func lines(width: Int, height: Int) -> [AppNotice] {
    switch self {
    case .reason(let sentence):
      return AppNotice.wrap(sentence, .bad, width: width) + [.blank]
        + AppNotice.wrap("What you type here is ignored.", width: width)
    case .codes(let codes):
      let lines = codes.flatMap { DisplayWidth.split($0, to: width, indent: "  ") }
      return AppNotice.lines(lines, .strong) + [.blank]
        + AppNotice.wrap(
          "Keep them where only you can read them; they are not shown again. Each works once, if you forgot your password "
            + "or lost your authenticator app. All earlier codes are void.", width: width)
    case .code(let code):
      let name = code.user.username
      let lines =
        AppNotice.lines(DisplayWidth.split(code.code.text, to: width, indent: ""), .strong) + [.blank]
        + AppNotice.wrap(
          "It works once, within \(code.validFor.words), and sets a new password: on Home without a login, or with auth-cli recover \(name). "
            + "It is not shown again.", width: width)
      guard height > lines.count + 1 else { return lines }
      return [AppNotice("Give this one-time code to \(name):"), .blank] + lines
    }
  }
}

extension AppState {
  /// Opens the page over everything else.
  func interrupt(_ interruption: AppInterruption) {
    (self.interruption, lastKey, isQuiet, overlayTop) = (interruption, now, false, 0)
  }

  /// Handles a key while the interruption is open.
  func leaveInterruption(_ key: Key) -> AppEffect? {
    switch key {
    case .enter, .escape: if isQuiet { interruption = nil }
    case .character, .control: break
    case _: overlayTop += lines(for: key) ?? 0
    }
    (lastKey, isQuiet) = (now, false)
    return nil
  }
}
