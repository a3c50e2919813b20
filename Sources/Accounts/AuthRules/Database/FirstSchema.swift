/// The tables of the first version. A new table needs its statement in ``first`` and its line in
/// ``tables``.
extension Schema {
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
    // The deletion of an account erases the keys of its payments in pieces; see `Erasure`.
    SchemaTable("transfers", leavingBehind: [], erasing: .nothing),
    SchemaTable("entries", leavingBehind: [], erasing: .nothing),
    SchemaTable("erasures", leavingBehind: [], erasing: .nothing),
    SchemaTable("codes", leavingBehind: ["boot", "boot_until"], erasing: .rows),
    // Hashes of names that are not given again.
    SchemaTable("reserved_names", leavingBehind: [], erasing: .nothing),
    SchemaTable("events", leavingBehind: [], erasing: .nothing),
    SchemaTable("two_steps", leavingBehind: [], erasing: .rows),
    SchemaTable("members", leavingBehind: [], erasing: .rows),
    // A session that ends forgets where it was.
    SchemaTable("sessions", leavingBehind: nil, erasing: .nothing),
    SchemaTable("other_tokens", leavingBehind: nil, erasing: .nothing),
    SchemaTable("unknown_names", leavingBehind: nil, erasing: .nothing),
    SchemaTable("challenges", leavingBehind: nil, erasing: .rows),
    SchemaTable("proofs", leavingBehind: nil, erasing: .rows),
    // What the probe of a service's health writes.
    SchemaTable("probes", leavingBehind: nil, erasing: .nothing),
  ]

  /// The first version, as SQLite takes it; ``forPostgres(_:)`` translates it.
  ///
  /// The registration flag, the policy of second steps and the salt are in `authority`, a table of
  /// one row. `receipts_through` is the receipt number after which payments continue after a
  /// restore; PostgreSQL has a sequence. A secret of a second step that no code confirmed has no
  /// last step, and nothing is asked for. `number` orders the other tokens of a session, whatever
  /// the clocks do. The tool and the session of a proof are no references: once either is gone, the
  /// proof is refused, and nothing needs to look for it.
  ///
  /// Events are append-only. Only those that concern no account may be deleted, which keeps a flood
  /// of invented names from filling the disk, but not what operators did; and those that an
  /// operator archives, up to a number that is set for the time of the deletion. The triggers come
  /// last.
  static let first = """
    CREATE TABLE authority(
      id INTEGER PRIMARY KEY CHECK(id = 1),
      administrator_made INTEGER NOT NULL DEFAULT 0,
      registration_closed INTEGER NOT NULL DEFAULT 0,
      two_step_required INTEGER NOT NULL DEFAULT 0,
      archived_through INTEGER NOT NULL DEFAULT -1,
      receipts_through INTEGER NOT NULL DEFAULT 0,
      event_salt BLOB NOT NULL
    ) STRICT;
    INSERT INTO authority(id, event_salt) VALUES (1, randomblob(16));

    CREATE TABLE accounts(
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      display_name TEXT NOT NULL,
      role TEXT NOT NULL CHECK(role IN ('member', 'administrator')),
      password_hash TEXT NOT NULL,
      disabled INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      last_login_at INTEGER NOT NULL DEFAULT 0,
      guesses INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      wait_boot BLOB,
      wait_until INTEGER
    ) STRICT;
    CREATE INDEX administrators ON accounts(id) WHERE role = 'administrator';
    CREATE INDEX accounts_last_login ON accounts(last_login_at, id);

    CREATE TABLE reserved_names(
      name_hash BLOB PRIMARY KEY
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE unknown_names(
      id INTEGER PRIMARY KEY,
      name_hash BLOB NOT NULL UNIQUE,
      guesses INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,
      wait_boot BLOB,
      wait_until INTEGER
    ) STRICT;

    CREATE TABLE sessions(
      token_hash BLOB PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      account INTEGER NOT NULL REFERENCES accounts(id),
      label TEXT,
      terminal TEXT,
      program TEXT,
      host TEXT,
      boot BLOB NOT NULL,
      active INTEGER NOT NULL,
      idle_span INTEGER NOT NULL,
      absolute_until INTEGER NOT NULL,
      absolute_span INTEGER NOT NULL,
      fresh_until INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      active_at INTEGER NOT NULL,
      purge_after INTEGER NOT NULL,
      ended_reason TEXT,
      ended_at INTEGER,
      uses_after_end INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_live ON sessions(account, created_at, id) WHERE ended_reason IS NULL;
    CREATE INDEX sessions_ended ON sessions(account, ended_at) WHERE ended_reason IS NOT NULL;
    CREATE INDEX sessions_old ON sessions(purge_after);

    CREATE TABLE other_tokens(
      token_hash BLOB PRIMARY KEY,
      session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      active INTEGER,
      idle_span INTEGER,
      absolute_until INTEGER,
      absolute_span INTEGER,
      fresh_until INTEGER,
      active_at INTEGER,
      purge_after INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX other_tokens_session ON other_tokens(session, number);

    CREATE TABLE codes(
      account INTEGER NOT NULL REFERENCES accounts(id),
      code_hash BLOB NOT NULL,
      expires_at INTEGER,
      boot BLOB,
      boot_until INTEGER,
      PRIMARY KEY(account, code_hash)
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

    CREATE TABLE members(
      account INTEGER NOT NULL REFERENCES accounts(id),
      group_name TEXT NOT NULL,
      PRIMARY KEY(account, group_name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX members_of_group ON members(group_name, account);

    CREATE TABLE proofs(
      proof_hash BLOB PRIMARY KEY,
      account INTEGER NOT NULL REFERENCES accounts(id),
      tool INTEGER NOT NULL,
      session TEXT NOT NULL,
      boot BLOB NOT NULL,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX proofs_account ON proofs(account, until);

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

    CREATE TABLE erasures(
      account INTEGER PRIMARY KEY REFERENCES accounts(id),
      through TEXT NOT NULL
    ) STRICT;

    CREATE TABLE probes(
      id INTEGER PRIMARY KEY,
      content BLOB NOT NULL
    ) STRICT;

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
    CREATE TRIGGER events_stay BEFORE DELETE ON events
      WHEN (old.account IS NOT NULL OR old.name = 'authz_admin')
        AND old.id > (SELECT archived_through FROM authority WHERE id = 1)
      BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
    """
}
