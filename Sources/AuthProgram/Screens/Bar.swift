import AuthCore
import CommandLineKit
import TextFormat

/// The navigation bar as a line of a terminal: the title on the left, account and button on the
/// right.
struct Bar {
  let title: String
  let button: NavigationBar.Button

  init(title: String, button: NavigationBar.Button) {
    self.title = title
    self.button = button
  }

  /// The bar as it is now.
  init(bar: NavigationBar) {
    self.init(title: bar.title, button: bar.button)
  }

  /// The line, exactly as wide as the terminal; where there is no room the account gives way first,
  /// then the title.
  func line(width: Int, style: Style) -> String {
    let label = DisplayWidth.truncate("[\(button.label)]", to: width)
    let labelWidth = DisplayWidth.columns(label)
    let title = DisplayWidth.truncate(title, to: width - labelWidth - 1)
    let room = width - labelWidth - DisplayWidth.columns(title)
    let right = account(in: room - 2 * Self.gap) + label
    let space = String(repeating: " ", count: width - DisplayWidth.columns(title) - DisplayWidth.columns(right))
    return style(title, .bold) + space + right
  }

  /// Who is logged in, with the gap to the button; nothing where not even the beginning of the name
  /// would be seen.
  private func account(in room: Int) -> String {
    guard case .logOut(let user) = button, room >= Self.gap else { return "" }
    return DisplayWidth.truncate(TextEscaping.escape(user.username), to: room) + String(repeating: " ", count: Self.gap)
  }

  private static let gap = 2
}
