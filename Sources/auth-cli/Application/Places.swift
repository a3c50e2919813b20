import Glibc

/// Where this run keeps things.
///
/// `AUTH_CLI_HOME` beats the XDG base directories (freedesktop.org, XDG Base Directory Specification 0.8, which has relative values ignored), and
/// these beat their defaults in the home directory.
struct Places: Hashable, Sendable {
  /// Where the database lies.
  let data: String
  /// The variable that chose that in place of the default, to be shown.
  let dataVariable: String?
  /// Where the sessions lie, one file for each context.
  let state: String
  /// The variable that chose that in place of the default, to be shown.
  let stateVariable: String?

  init(environment: (String) -> String? = Environment.value) throws(Refusal) {
    if let home = environment("AUTH_CLI_HOME"), !home.isEmpty {
      (data, state) = (home, home)
      (dataVariable, stateVariable) = ("AUTH_CLI_HOME", "AUTH_CLI_HOME")
      return
    }
    (data, dataVariable) = try Self.base("XDG_DATA_HOME", "/.local/share", environment)
    (state, stateVariable) = try Self.base("XDG_STATE_HOME", "/.local/state", environment)
  }

  private static func base(
    _ variable: String, _ standard: String, _ environment: (String) -> String?
  ) throws(Refusal) -> (String, String?) {
    if let value = environment(variable), value.hasPrefix("/") { return (value + "/auth-cli", variable) }
    guard let home = environment("HOME"), home.hasPrefix("/") else {
      throw Refusal(
        .cannotTell, "no_home", "HOME is not set to an absolute path, so there is no place for sessions and accounts",
        hint: "Set HOME, or AUTH_CLI_HOME to the directory to use.")
    }
    return (home + standard + "/auth-cli", nil)
  }
}
