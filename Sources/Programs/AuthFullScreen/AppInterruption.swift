package import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit

/// A page that opens by itself, perhaps while the user is typing.
///
/// Only Enter and Esc close it, and only after a pause without keys: a user who is typing a
/// password does not close it by accident. Codes that are shown once can be copied or written to a
/// file, and a page with them asks before it closes.
package enum AppInterruption: Sendable {
  /// Why the session ended, or why a form cannot be used.
  case reason(String)
  /// A code that is shown once.
  case code(OneTimeCode)
  /// Recovery codes that are shown once.
  case codes([String])

  /// The codes, one on a line; nil for a reason.
  var codes: String? {
    switch self {
    case .reason: nil
    case .code(let code): code.code.text
    case .codes(let codes): codes.joined(separator: "\n")
    }
  }

  /// The name of a file for the codes, without its suffix.
  var fileName: String { if case .code = self { "auth-cli-one-time-code" } else { "auth-cli-recovery-codes" } }

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

/// What became of codes that are shown once.
struct AppKeeping: Equatable, Sendable {
  enum File { case none, inProgress, written }

  var file = File.none
  /// The message about the last key.
  var note: AppNotice?
  /// Whether the user wants to close the page, and was asked to confirm that.
  var isClosing = false
}

extension AppState {
  /// Opens the page over everything else.
  func interrupt(_ interruption: AppInterruption) {
    (self.interruption, lastKey, isQuiet, overlayTop, keeping) = (interruption, now, false, 0, AppKeeping())
  }

  /// Says whether the codes of the page were written to a file.
  func take(_ result: Result<String, FileError>) {
    let note: AppNotice
    switch result {
    case .success(let path): note = AppNotice("Written to \(path), which only you can read.", .good)
    case .failure(let error): note = AppNotice("Not written: \(error.description)", .bad)
    }
    guard interruption?.codes != nil else { return notice = note }
    keeping = AppKeeping(file: note.style == .good ? .written : .none, note: note)
  }

  /// Handles a key while the interruption is open.
  func leaveInterruption(_ key: Key) -> AppEffect? {
    defer { (lastKey, isQuiet) = (now, false) }
    // A key without a pause may belong to a password.
    let acts = isQuiet || lines(for: key) != nil
    guard acts else { return nil }
    let wasClosing = keeping.isClosing
    keeping.isClosing = false
    switch key {
    case .enter, .escape:
      if interruption?.codes == nil || keeping.file == .written {
        interruption = nil
      } else {
        keeping.isClosing = !wasClosing
      }
    case .character("c") where wasClosing: interruption = nil
    case .character("y") where interruption?.codes != nil:
      keeping.note = Self.askedToCopy
      return .copySecret
    case .character("w") where interruption?.codes != nil && keeping.file == .none:
      (keeping.file, keeping.note) = (.inProgress, nil)
      return .writeCodes
    case .character, .control: break
    case _: overlayTop += lines(for: key) ?? 0
    }
    return nil
  }

  /// The message on a page with codes.
  var keepingNotice: AppNotice? {
    keeping.isClosing ? AppNotice("c closes this page. The codes are not shown again.", .strong) : keeping.note
  }

  /// The message after a secret was copied: no terminal answers whether it did that.
  static let askedToCopy = AppNotice(
    "Asked your terminal to copy it. It may refuse: paste it somewhere to check.", .strong)
}
