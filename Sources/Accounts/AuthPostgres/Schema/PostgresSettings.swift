import AuthAccounts

/// The settings that the rules depend on, whatever the server, the database and the role say.
///
/// The level of a transaction, and whether it may write, are in its first statement.
enum PostgresSettings {
  /// The settings of each connection.
  ///
  /// - Parameters:
  ///   - lockTimeout: How long a statement waits for a lock.
  ///   - read: How long a statement that only reads may take.
  /// - Returns: Names and values.
  static func all(lockTimeout: Duration, read: Duration) -> [(name: String, value: String)] {
    [
      ("search_path", PostgresSchema.searchPath), ("lock_timeout", "\(lockTimeout.wholeMilliseconds)"),
      ("statement_timeout", "\(read.wholeMilliseconds)"),
      ("idle_in_transaction_session_timeout", "\(2 * lockTimeout.wholeMilliseconds)"),
      // The pool closes what is idle, and has its own limits.
      ("idle_session_timeout", "0"), ("transaction_timeout", "0"),
      // What is confirmed is on the disk; `remote_apply`, which promises more, stays.
      ("synchronous_commit", "on"),
      // A warning says that a commit is not at its standby.
      ("client_min_messages", "notice"),
      // Triggers keep the events, and references the accounts.
      ("session_replication_role", "origin"),
      ("standard_conforming_strings", "on"), ("transform_null_equals", "off"), ("bytea_output", "hex"),
    ] + plans.map { ($0, "off") } + [("plan_cache_mode", "force_generic_plan")]
  }

  /// What the planner does without, so that every statement walks its index, whatever the
  /// statistics say.
  ///
  /// What a plan reads more where statistics are missing or out of date, it reads under a lock that
  /// others need, and a member decides how many rows there are. A statement without an index, such
  /// as an operator's, still reads its table; it is not worth compiling (`jit`).
  static let plans = [
    "enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "enable_sort", "enable_material",
    "jit",
  ]

  /// The statement that sets those that differ; a server that does not know one has nothing to set.
  ///
  /// A role that may not set one is refused.
  static func statement(lockTimeout: Duration, read: Duration) -> String {
    let values = all(lockTimeout: lockTimeout, read: read).map { "('\($0.name)', '\($0.value)')" }
    return """
      SELECT set_config(s.name, s.value, false) FROM (VALUES \(values.joined(separator: ", "))) s(name, value)
      WHERE current_setting(s.name, true) <> s.value
        AND NOT (s.name = 'synchronous_commit' AND current_setting(s.name) = 'remote_apply')
      """
  }
}
