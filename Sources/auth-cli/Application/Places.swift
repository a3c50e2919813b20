import Glibc

/// Where this run keeps things.
///
/// `AUTH_CLI_HOME` beats the XDG base directories (freedesktop.org, XDG Base Directory Specification 0.8, which has relative values ignored), and
/// these beat their defaults in the home directory.
struct Places: Hashable, Sendable {
  /// Where the database lies.
  let data: String
  /// Where the sessions lie, one file for each context.
  let state: String
  /// The variable that chose them in place of the defaults, to be shown.
  let chosenBy: String?

  init(environment: (String) -> Word? = Environment.word) throws(Refusal) {
    if let word = environment("AUTH_CLI_HOME"), !word.bytes.isEmpty {
      let home = try Self.text(word, "AUTH_CLI_HOME")
      (data, state, chosenBy) = (home, home, "AUTH_CLI_HOME")
      return
    }
    let (dataBase, dataVariable) = try Self.base("XDG_DATA_HOME", "/.local/share", environment)
    let (stateBase, stateVariable) = try Self.base("XDG_STATE_HOME", "/.local/state", environment)
    (data, state, chosenBy) = (dataBase + "/auth-cli", stateBase + "/auth-cli", dataVariable ?? stateVariable)
  }

  private static func base(
    _ variable: String, _ standard: String, _ environment: (String) -> Word?
  ) throws(Refusal) -> (String, String?) {
    if let word = environment(variable), word.bytes.first == UInt8(ascii: "/") {
      return (try text(word, variable), variable)
    }
    guard let home = try environment("HOME").map({ (word) throws(Refusal) in try text(word, "HOME") }),
      home.hasPrefix("/")
    else {
      throw Refusal(
        .cannotTell, "no_home", "HOME is not set to an absolute path, so there is no place for sessions and accounts",
        hint: "Set HOME, or AUTH_CLI_HOME to the directory to use.")
    }
    return (home + standard, nil)
  }

  /// A path is not repaired: that would be another path.
  private static func text(_ word: Word, _ variable: String) throws(Refusal) -> String {
    if let text = word.text { return text }
    throw Refusal(
      .usage, "home_not_text", "\(variable) is \(word.quoted), which is not text in UTF-8",
      hint: "Set AUTH_CLI_HOME to a path in UTF-8.")
  }
}
