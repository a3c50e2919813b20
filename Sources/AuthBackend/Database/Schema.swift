/// The steps from an empty file to the current schema, and the mark of this program's files.
///
/// A step is never edited once released; a change is a new step. A new file takes all of them in
/// one transaction, so that upgraded and new files are the same.
///
/// SQLite parses all of it in every process, so it has the rules that guard money and names, and no
/// more.
package enum Schema {
  /// "AuS1", the value of `PRAGMA application_id` in our files.
  package static let applicationID: Int64 = 0x4175_5331

  /// The versions that were released, each with the statements that lead to it from the version
  /// before; the first begins with an empty file.
  private static let steps: [(version: Int64, sql: String)] = [(3, first), (8, second)]

  /// The schema that this code reads and writes.
  package static let version = steps[steps.count - 1].version

  /// The released versions, oldest first.
  package static let versions = steps.map(\.version)

  /// The statements that lead from a version to another one; version 0 is an empty file.
  package static func steps(from version: Int64, through last: Int64 = Schema.version) -> [String] {
    steps.filter { version < $0.version && $0.version <= last }.map(\.sql)
  }

  /// All tables, in an order in which rows refer to earlier ones only.
  ///
  /// A token belongs to the database that issued it. A wait belongs to a boot, so in the other
  /// database it begins again with the next attempt. With the salt of events the other database
  /// keeps the name that session files know this one by, so a login there is refused as one that
  /// ended, and not as one of another database.
  package static let tables = [
    // One row.
    SchemaTable("authority", leavingBehind: ["id", "archived_through"], erasing: .nothing),
    // `AccountQuery.erase` erases the account itself.
    SchemaTable("accounts", leavingBehind: [], erasing: .nothing),
    // Account 0 is the one that pays the opening credits.
    SchemaTable("ledger_accounts", leavingBehind: [], erasing: .nothing),
    SchemaTable("transfers", leavingBehind: [], erasing: .statement(LedgerQuery.forgetKeys)),
    SchemaTable("entries", leavingBehind: [], erasing: .nothing),
    SchemaTable("codes", leavingBehind: ["boot", "boot_until"], erasing: .rows),
    // Hashes of names that are not given again.
    SchemaTable("reserved_names", leavingBehind: [], erasing: .nothing),
    SchemaTable("events", leavingBehind: [], erasing: .nothing),
    SchemaTable("two_steps", leavingBehind: [], erasing: .rows),
    // A session that ends forgets where it was.
    SchemaTable("sessions", leavingBehind: nil, erasing: .nothing),
    SchemaTable("other_tokens", leavingBehind: nil, erasing: .nothing),
    SchemaTable("unknown_names", leavingBehind: nil, erasing: .nothing),
    SchemaTable("challenges", leavingBehind: nil, erasing: .rows),
  ]

  /// Version 3 is that of release 0.1.0.
  ///
  /// Events are append-only: no update, and only those that concern no account may be deleted,
  /// which keeps a flood of invented names from filling the disk.
  private static let first = """
    CREATE TABLE authority(
      id INTEGER PRIMARY KEY CHECK(id = 1),
      administrator_made INTEGER NOT NULL
    ) STRICT;
    INSERT INTO authority VALUES (1, 0);

    CREATE TABLE accounts(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      display_name TEXT NOT NULL,
      role TEXT NOT NULL CHECK(role IN ('member', 'administrator')),
      password_hash TEXT NOT NULL,
      disabled INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      guesses INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      wait_boot BLOB,
      wait_until INTEGER
    ) STRICT;
    CREATE INDEX administrators ON accounts(id) WHERE role = 'administrator';

    CREATE TABLE unknown_names(
      id INTEGER PRIMARY KEY,
      name_hash BLOB NOT NULL UNIQUE,
      guesses INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      wait_boot BLOB,
      wait_until INTEGER
    ) STRICT;

    CREATE TABLE sessions(
      token_hash BLOB PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts(id),
      label TEXT,
      boot BLOB NOT NULL,
      active INTEGER NOT NULL,
      idle_span INTEGER NOT NULL,
      absolute_until INTEGER NOT NULL,
      fresh_until INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      active_at INTEGER NOT NULL,
      purge_after INTEGER NOT NULL,
      ended_reason TEXT,
      ended_at INTEGER,
      uses_after_end INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_live ON sessions(account) WHERE ended_reason IS NULL;
    CREATE INDEX sessions_old ON sessions(purge_after);

    CREATE TABLE other_tokens(
      token_hash BLOB PRIMARY KEY,
      session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      active INTEGER,
      idle_span INTEGER,
      absolute_until INTEGER,
      fresh_until INTEGER,
      active_at INTEGER,
      purge_after INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX other_tokens_session ON other_tokens(session);

    CREATE TABLE ledger_accounts(
      id INTEGER PRIMARY KEY,
      balance INTEGER NOT NULL CHECK(balance >= 0 OR id = 0)
    ) STRICT;
    INSERT INTO ledger_accounts VALUES (0, 0);

    CREATE TABLE transfers(
      id INTEGER PRIMARY KEY,
      payer INTEGER NOT NULL REFERENCES ledger_accounts(id),
      payee INTEGER NOT NULL REFERENCES ledger_accounts(id),
      amount INTEGER NOT NULL CHECK(amount > 0),
      key TEXT,
      made_at INTEGER NOT NULL,
      CHECK(payer <> payee)
    ) STRICT;
    CREATE UNIQUE INDEX transfers_key ON transfers(payer, key) WHERE key IS NOT NULL;

    CREATE TABLE entries(
      account INTEGER NOT NULL REFERENCES ledger_accounts(id),
      transfer INTEGER NOT NULL REFERENCES transfers(id),
      amount INTEGER NOT NULL CHECK(amount <> 0),
      PRIMARY KEY(account, transfer)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE authority ADD COLUMN event_salt BLOB NOT NULL DEFAULT x'';
    UPDATE authority SET event_salt = randomblob(16);
    ALTER TABLE accounts ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE unknown_names ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN absolute_span INTEGER;
    ALTER TABLE other_tokens ADD COLUMN absolute_span INTEGER;

    CREATE TABLE events(
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      name TEXT NOT NULL,
      account INTEGER REFERENCES accounts(id),
      actor INTEGER REFERENCES accounts(id),
      session TEXT,
      detail TEXT
    ) STRICT;
    CREATE INDEX events_account ON events(account, id);
    CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    CREATE TRIGGER events_stay BEFORE DELETE ON events WHEN old.account IS NOT NULL
      BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    """

  /// Version 8 has codes for forgotten passwords, second steps with their challenges, who may
  /// register, where sessions were begun, the names of deleted accounts as hashes, the time of the
  /// last login, the receipt number after which payments continue after a restore (PostgreSQL has a
  /// sequence), and events that an operator archives: up to a number that is set for the time of
  /// the deletion.
  ///
  /// A session that is over forgets where it was. Version 3 had hashes without a key of names
  /// without an account; what was typed there may have been a password. A secret that no code
  /// confirmed has no last step, and nothing is asked for. What operators did concerns no account,
  /// and is kept nevertheless.
  private static let second = """
    ALTER TABLE authority ADD COLUMN registration_closed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE authority ADD COLUMN two_step_required INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE authority ADD COLUMN archived_through INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE authority ADD COLUMN receipts_through INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN terminal TEXT;
    ALTER TABLE sessions ADD COLUMN program TEXT;
    ALTER TABLE sessions ADD COLUMN host TEXT;
    UPDATE sessions SET label = NULL WHERE ended_reason IS NOT NULL;
    DELETE FROM unknown_names;

    CREATE TABLE codes(
      account INTEGER NOT NULL REFERENCES accounts(id),
      code_hash BLOB NOT NULL,
      expires_at INTEGER,
      boot BLOB,
      boot_until INTEGER,
      PRIMARY KEY(account, code_hash)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reserved_names(
      name_hash BLOB PRIMARY KEY
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE two_steps(
      account INTEGER PRIMARY KEY REFERENCES accounts(id),
      secret BLOB NOT NULL,
      last_step INTEGER,
      since INTEGER
    ) STRICT;

    CREATE TABLE challenges(
      token_hash BLOB PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES accounts(id),
      password_hash TEXT NOT NULL,
      new_hash TEXT,
      session BLOB,
      idle_span INTEGER,
      absolute_span INTEGER,
      tries_left INTEGER NOT NULL,
      boot BLOB NOT NULL,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX challenges_account ON challenges(account, until);

    ALTER TABLE accounts ADD COLUMN last_login_at INTEGER NOT NULL DEFAULT 0;
    UPDATE accounts SET last_login_at = coalesce((
      SELECT max(at) FROM events
      WHERE account = accounts.id AND events.name IN ('authn_login_success', 'authn_login_successafterfail')), 0)
    WHERE name > '/';
    CREATE INDEX accounts_last_login ON accounts(last_login_at, id);

    DROP TRIGGER events_stay;
    CREATE TRIGGER events_stay BEFORE DELETE ON events
      WHEN (old.account IS NOT NULL OR old.name = 'authz_admin')
        AND old.id > (SELECT archived_through FROM authority WHERE id = 1)
      BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    """
}
