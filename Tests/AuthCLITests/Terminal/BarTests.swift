import AuthCore
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("The navigation bar")
struct BarTests {
  @Test("the button of the full-screen program stays whole, and the account gives way first, then the title")
  func button() {
    let button = NavigationBar.Button.logOut(
      User(id: UserID(rawValue: "u1"), username: "alice", displayName: "Alice", role: .member))
    for (columns, bar) in [
      (26, "Profile   alice  [Log out]"), (25, "Profile  alice  [Log out]"), (24, "Profile  ali…  [Log out]"),
      (22, "Profile  a…  [Log out]"), (21, "Profile     [Log out]"), (16, "Profi… [Log out]"), (9, "[Log out]"),
      (5, "[Log…"),
    ] {
      #expect(Bar(title: "Profile", button: button).line(width: columns, style: .plain) == bar, "\(columns)")
    }
  }
}
