import AuthCore

/// The navigation bar as a line of a terminal: the title on the left, account and button on the right.
struct Bar {
  let bar: NavigationBar

  /// The line, as wide as the terminal.
  func line(width: Int, style: Style) -> String {
    let button = "[\(bar.button.label)]"
    let right: String
    switch bar.button {
    case .logIn: right = button
    case .logOut(let user): right = "\(TextEscaping.escape(user.username))  \(button)"
    }
    let gap = max(2, width - DisplayWidth.columns(bar.title) - DisplayWidth.columns(right))
    return style(bar.title, .bold) + String(repeating: " ", count: gap) + right
  }
}
