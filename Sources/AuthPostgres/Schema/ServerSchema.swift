import AuthBackend
import AuthCore

/// The server's side of the backend: tables that no client can touch, and the functions that they
/// may call.
///
/// The decisions are written twice, in Swift for SQLite and in PL/pgSQL here; the numbers, the
/// codes and the sentences once, in Swift.
struct ServerSchema: Sendable {
  /// The schema of tables and functions.
  static let name = "authcore"
  /// The role that owns everything and cannot log in.
  static let ownerRole = "auth_cli_owner"
  /// The role that may call the functions, and that people's login roles are granted.
  static let clientRole = "auth_cli"
  /// The channel of notices.
  static let channel = "authcore"

  /// Clients of another major version are refused.
  static let major = 1
  /// The version that ``tables`` make, without any step.
  static let first = [major, 0]

  static let tokenLength = 32
  /// How full the queue of notices may be for one more, which finds room even if others are writing.
  static let fullestQueue = 0.5
  static let longestLabel = 256
  static let longestOrigin = SessionOrigin.longest
  /// How long a guess can be judged, in nanoseconds.
  static let ticketLife: Int64 = 600_000_000_000
  static var endReasons: String { EndReason.allCases.map { "'\($0.code)'" }.joined(separator: ", ") }

  /// A step from one version to the next.
  struct Step: Sendable {
    /// Major and minor.
    ///
    /// The minor one grows with each step that clients of the same major version can work with.
    let version: [Int]
    /// Changes tables and types; the functions are made anew in every step.
    let changes: String
    /// Functions that the step adds.
    let functions: [ServerFunction]
  }

  /// Released steps after the first version.
  static let steps = [second]

  let policy: SessionPolicy
  /// What a new hash of a password may cost.
  let costs: ClosedRange<PasswordCost>
  let steps: [Step]

  /// - Parameters:
  ///   - policy: The limits that sessions get.
  ///   - cost: What hashing a password costs in the program that makes the schema.
  ///   - steps: What leads from the first version to this one.
  init(policy: SessionPolicy = .standard, cost: PasswordCost = .standard, steps: [Step] = Self.steps) {
    self.policy = policy
    costs = cost.takenFromClients
    self.steps = steps
  }

  /// Major and minor.
  var version: [Int] { steps.last?.version ?? Self.first }

  /// The changes of these steps, and the version that they lead to.
  private func taking(_ ahead: [Step]) -> String {
    """
    \(ahead.map(\.changes).joined(separator: "\n"))
    \(settingVersion)
    """
  }

  /// The comment is for ``SchemaOwner``, which reads nothing in the schema.
  private var settingVersion: String {
    """
    UPDATE authority SET major = \(version[0]), minor = \(version[1]);
    COMMENT ON SCHEMA \(Self.name) IS '\(Self.versionWords)\(version[0]).\(version[1])';
    """
  }

  private static let versionWords = "version "

  /// The version that a comment on the schema says: the first version made none.
  static func version(in comment: String?) -> [Int] {
    guard let comment, comment.hasPrefix(versionWords) else { return first }
    let numbers = comment.dropFirst(versionWords.count).split(separator: ".").compactMap { Int($0) }
    return numbers.count == first.count ? numbers : first
  }

  /// The row about a database of this version, of which all but its random numbers is as new.
  var rowAboutDatabase: String { Self.firstRow + settingVersion }

  /// The names of all tables, as the statements that make them have them.
  var tableNames: [String] {
    let statement = "CREATE TABLE "
    return ([Self.tables] + steps.map(\.changes)).flatMap { $0.split(separator: "\n") }
      .map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix(statement) }
      .map { String($0.dropFirst(statement.count).prefix { $0 != "(" && $0 != " " }) }
  }

  var functions: [ServerFunction] {
    basics + throttle + tokens + sessions + login + accounts + recovery + payments + administration + roles + twoStep
      + steps.flatMap(\.functions)
  }

  /// Takes a schema forward, in a transaction that the caller began.
  ///
  /// Clients at work see the old functions until it is committed, and the new ones after.
  ///
  /// - Parameters:
  ///   - version: What is there.
  ///   - present: The functions that are there, with the types of their parameters.
  /// - Returns: The script.
  func upgrade(from version: [Int], functions present: [String]) -> String {
    let ahead = steps.filter { version.lexicographicallyPrecedes($0.version) }
    let names = Set(functions.map(\.name))
    let gone = present.filter { signature in
      let name = signature.prefix { $0 != "(" }.split(separator: ".").last.map(String.init) ?? ""
      return !names.contains(name)
    }
    return """
      SET LOCAL ROLE \(Self.ownerRole);
      SET LOCAL search_path = \(Self.name), pg_temp;
      \(taking(ahead))
      \(gone.map { "DROP FUNCTION \($0);" }.joined(separator: "\n"))
      \(functions.map(\.creation).joined())
      \(functions.map(\.permission).joined())
      RESET ROLE;
      """
  }

  /// Makes the schema, as a member of the owning role, in a transaction that the caller began.
  var creation: String {
    """
    SET LOCAL ROLE \(Self.ownerRole);
    SET LOCAL search_path = \(Self.name), pg_temp;
    ALTER DEFAULT PRIVILEGES FOR ROLE \(Self.ownerRole) REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
    \(Self.tables)
    \(Self.firstRow)
    \(taking(steps))
    \(functions.map(\.creation).joined())
    \(Self.triggers)
    \(functions.map(\.permission).joined())
    RESET ROLE;
    """
  }

  /// Roles, and what they may do in this database; for a role with CREATEROLE that owns the
  /// database.
  ///
  /// Roles belong to the cluster, so that those that exist are taken as they are.
  static func roles(database: String) -> String {
    """
    DO $roles$ BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '\(ownerRole)') THEN
        CREATE ROLE \(ownerRole) NOLOGIN;
      END IF;
      IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '\(clientRole)') THEN
        CREATE ROLE \(clientRole) NOLOGIN;
      END IF;
    END $roles$;
    GRANT \(ownerRole) TO CURRENT_USER;
    GRANT \(clientRole) TO CURRENT_USER;
    REVOKE TEMPORARY ON DATABASE \(database) FROM PUBLIC;
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    CREATE SCHEMA \(name) AUTHORIZATION \(ownerRole);
    REVOKE ALL ON SCHEMA \(name) FROM PUBLIC;
    GRANT USAGE ON SCHEMA \(name) TO \(clientRole);
    """
  }
}
