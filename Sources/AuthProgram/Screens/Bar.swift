import AuthCore
import CommandLineKit

/// The navigation bar as a line of a terminal: the title on the left, account and button on the right.
struct Bar {
  let bar: NavigationBar

  /// The line, exactly as wide as the terminal; where there is no room the account gives way first, then the title.
  func line(width: Int, style: Style) -> String {
    let button = DisplayWidth.truncate("[\(bar.button.label)]", to: width)
    let buttonWidth = DisplayWidth.columns(button)
    let title = DisplayWidth.truncate(bar.title, to: width - buttonWidth - 1)
    let room = width - buttonWidth - DisplayWidth.columns(title)
    let right = account(in: room - 2 * Self.gap) + button
    let space = String(repeating: " ", count: width - DisplayWidth.columns(title) - DisplayWidth.columns(right))
    return style(title, .bold) + space + right
  }

  /// Who is logged in, with the gap to the button; nothing where not even the beginning of the name would be seen.
  private func account(in room: Int) -> String {
    guard case .logOut(let user) = bar.button, room >= Self.gap else { return "" }
    return DisplayWidth.truncate(TextEscaping.escape(user.username), to: room) + String(repeating: " ", count: Self.gap)
  }

  private static let gap = 2
}
