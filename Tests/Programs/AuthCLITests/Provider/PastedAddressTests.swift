import Testing

@testable import AuthCLIProgram

/// The address that a user pastes.
@Suite(.timeLimit(.minutes(10))) struct PastedAddressTests {
  @Test(
    "what terminals and editing keys add to a pasted address is removed",
    arguments: [
      "http://127.0.0.1:8411/?code=1&state=2", "  http://127.0.0.1:8411/?code=1&state=2 \r",
      "\u{1B}[200~http://127.0.0.1:8411/?code=1&state=2\u{1B}[201~",
      "\u{1B}[Ahttp://127.0.0.1:8411/?co\u{1B}[1;5Dde=1&state=2",
      "\u{1B}OAhttp://127.0.0.1:8411/?code=1\u{7F}&state=2\u{0}", "http://127.0.0.1:8411/?code=1\t&sta te=2",
    ])
  func cleaned(typed: String) {
    #expect(PasteLogin.cleaned(Array(typed.utf8)) == "http://127.0.0.1:8411/?code=1&state=2")
  }
}
