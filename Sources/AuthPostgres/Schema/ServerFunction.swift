/// A function of the server, as text to create it.
struct ServerFunction: Sendable {
  let name: String
  /// The parameters with their types, as in the parentheses of the declaration.
  let parameters: String
  let returns: String
  /// Whether the client's role may call it; the others are called by these.
  let isOpen: Bool
  /// A function of one statement is in SQL where its speed matters: it spares the server from
  /// loading PL/pgSQL, and the planner can put it in place of its call.
  var language = "plpgsql"
  let body: String

  /// A function that the client's role may call.
  ///
  /// Its first parameter is the major version that the client speaks.
  static func open(
    _ name: String, _ parameters: String, returns: String, language: String = "plpgsql", _ body: String
  ) -> ServerFunction {
    let rest = parameters.isEmpty ? "" : ", " + parameters
    return ServerFunction(
      name: name, parameters: "p_version integer" + rest, returns: returns, isOpen: true, language: language,
      body: language == "plpgsql" ? bounded(body, parameters) : body)
  }

  /// Refuses arguments that are too long for any request, before anything looks at them.
  private static func bounded(_ body: String, _ parameters: String) -> String {
    var lengths: [String] = []
    for parameter in parameters.split(separator: ",") {
      let words = parameter.split { $0 == " " || $0 == "\n" }
      if words.last == "text" || words.last == "bytea" { lengths.append("octet_length(\(words[0]))") }
    }
    if lengths.isEmpty { return body }
    return """
      BEGIN
        IF greatest(\(lengths.joined(separator: ", "))) > \(longestArgument) THEN PERFORM malformed('length'); END IF;
        \(body);
      END
      """
  }

  /// Longer than anything that a client of ours sends.
  static let longestArgument = 8192

  /// A function that only other functions call.
  static func inner(
    _ name: String, _ parameters: String, returns: String, language: String = "plpgsql", _ body: String
  ) -> ServerFunction {
    ServerFunction(
      name: name, parameters: parameters, returns: returns, isOpen: false, language: language, body: body)
  }

  /// Open functions run with the rights of their owner, look nothing up in a schema of the client's
  /// choice, and show the client none of what the server prints about plans.
  private var settings: [(name: String, value: String)] {
    isOpen ? [("search_path", "\(ServerSchema.name), pg_temp"), ("client_min_messages", "error")] : []
  }

  /// The settings as the catalogue shows them.
  var configuration: String { settings.map { "\($0.name)=\($0.value)" }.joined(separator: ";") }

  var creation: String {
    let rights =
      isOpen
      ? "SECURITY DEFINER " + settings.map { "SET \($0.name) = \($0.value)" }.joined(separator: " ")
      : "SECURITY INVOKER"
    return """
      CREATE OR REPLACE FUNCTION \(ServerSchema.name).\(name)(\(parameters)) RETURNS \(returns)
      LANGUAGE \(language) VOLATILE \(rights) AS $body$
      \(body)
      $body$;

      """
  }

  /// The right to call it, for the client's role.
  var permission: String {
    guard isOpen else { return "" }
    return "GRANT EXECUTE ON FUNCTION \(ServerSchema.name).\(name) TO \(ServerSchema.clientRole);\n"
  }
}

/// The SQLSTATEs that our functions raise, in a class of their own.
///
/// Refusals are answers and not errors, because an error would undo counters and events. These are
/// for calls that no client of ours makes.
enum ServerState {
  static let otherVersion = "AC001"
  static let wrongIsolation = "AC002"
  static let readOnly = "AC003"
  static let sameTransaction = "AC004"
  static let malformed = "AC005"
  /// Not raised by the server: the connection says its encoding.
  static let otherEncoding = "AC006"
  /// Not raised by the server: the tables say their version.
  static let (newer, older) = ("AC007", "AC008")
}
