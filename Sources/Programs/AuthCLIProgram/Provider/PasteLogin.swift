import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit

/// A login with a browser on any machine, whose address the user pastes into the terminal.
struct PasteLogin {
  let url: String
  /// The address to which the browser returns.
  let redirect: String

  /// Asks for an address until `check` accepts it, at most three times.
  func credentials(_ check: (String) throws(OAuthError) -> Credentials) throws(CommandError) -> Credentials {
    let terminal = try Prompt(for: "address", insteadUse: "it in a terminal", isEchoed: true)
    try terminal.say("Open this address in a browser, and log in:")
    try terminal.say(url)
    try terminal.say(
      "The browser will then fail to open \(redirect) and show an error: copy the whole address of that page.")
    for left in (0..<Prompt.attempts).reversed() {
      let typed = try terminal.ask("The address to which the browser returned: ", within: .seconds(900))
      do throws(OAuthError) { return try check(Self.cleaned(typed)) } catch {
        guard error == .rejected(.foreignResponse), left > 0 else { throw CommandError(error) }
        try terminal.say("That address does not belong to this login; try again.")
      }
    }
    throw CommandError(code: .loginForeign)
  }

  /// The address in what was typed, without spaces and without what terminals and editing keys add:
  /// control sequences, such as those around a paste (ECMA-48), and control characters.
  static func cleaned(_ typed: [UInt8]) -> String {
    String(decoding: typed, as: UTF8.self)
      .replacing(/\x1B\[[\x30-\x3F]*[\x20-\x2F]*[\x40-\x7E]/, with: "")
      .replacing(/\x1B[OPNX^_\]]?./, with: "")
      .filter { !$0.isWhitespace && $0.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } }
  }
}
