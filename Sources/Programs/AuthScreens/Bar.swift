package import AuthCore
package import CommandLineKit
import TextFormat

/// The navigation bar as a line of a terminal: the title on the left, who is logged in on the
/// right.
///
/// In the full-screen program a button is beside it. A command has ended when its bar is read, so
/// its bar has none.
package struct Bar {
  private let title: String
  private let button: NavigationBar.Button
  private let isPressable: Bool

  package init(title: String, button: NavigationBar.Button, isPressable: Bool = true) {
    (self.title, self.button, self.isPressable) = (title, button, isPressable)
  }

  /// The line, exactly as wide as the terminal; if there is no room, first the user name is cut off
  /// and then the title.
  package func line(width: Int, style: Style) -> String {
    let label = DisplayWidth.truncate(isPressable ? "[\(button.label)]" : account ?? "not logged in", to: width)
    let title = DisplayWidth.truncate(title, to: width - DisplayWidth.columns(label) - 1)
    let room = width - DisplayWidth.columns(label) - DisplayWidth.columns(title)
    let right = account(in: room - 2 * Self.gap) + label
    let space = String(repeating: " ", count: width - DisplayWidth.columns(title) - DisplayWidth.columns(right))
    return style.bold(title) + space + right
  }

  private var account: String? {
    if case .logOut(let user) = button { TextEscaping.escape(user.username) } else { nil }
  }

  /// The user name with the gap to the button; empty if not even the start of the name fits.
  private func account(in room: Int) -> String {
    guard isPressable, let account, room >= Self.gap else { return "" }
    return DisplayWidth.truncate(account, to: room) + String(repeating: " ", count: Self.gap)
  }

  private static let gap = 2
}
