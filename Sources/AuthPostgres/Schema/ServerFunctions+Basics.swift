import AuthBackend
import AuthCore

/// What every function begins with, the clock, and the event log.
extension ServerSchema {
  var basics: [ServerFunction] {
    [
      // Tests replace this one function to move the clock.
      .inner(
        "clock_ns", "", returns: "bigint", language: "sql",
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000"),
      // The client owns the transaction. An old snapshot would show it a session that was ended,
      // and a read-only one would keep it from leaving an event.
      .inner(
        "enter", "p_version integer", returns: "void",
        """
        BEGIN
          IF p_version IS DISTINCT FROM \(Self.major) THEN
            RAISE EXCEPTION 'this database has major version \(Self.major)' USING ERRCODE = '\(ServerState.otherVersion)';
          END IF;
          IF current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE EXCEPTION 'only the isolation level read committed is accepted'
              USING ERRCODE = '\(ServerState.wrongIsolation)';
          END IF;
          IF current_setting('transaction_read_only') <> 'off' THEN
            RAISE EXCEPTION 'the transaction or the server is read-only' USING ERRCODE = '\(ServerState.readOnly)';
          END IF;
        END
        """),
      // For a function in SQL. The planner does not inline a function of two statements, so
      // PL/pgSQL is loaded only where this is called.
      .inner(
        "enter_late", "p_version integer", returns: "boolean", language: "sql",
        "SELECT enter(p_version); SELECT true"),
      .inner(
        "malformed", "p_what text", returns: "void",
        """
        BEGIN
          RAISE EXCEPTION 'malformed %', p_what USING ERRCODE = '\(ServerState.malformed)';
        END
        """),
      .inner(
        "random_name", "", returns: "text",
        """
        DECLARE
          v_bytes bytea := sha256(uuid_send(gen_random_uuid()));
          v_name text := '';
        BEGIN
          FOR i IN 0..11 LOOP
            v_name := v_name || substr('0123456789abcdefghjkmnpqrstvwxyz', (get_byte(v_bytes, i) & 31) + 1, 1);
          END LOOP;
          RETURN v_name;
        END
        """),
      // The number of an event is its time in microseconds, or one more than the last. Two that
      // want the same number at once take two: the insert waits, finds it taken, and tries the
      // next.
      .inner(
        "record", "p_name text, p_account bigint, p_actor bigint, p_session text, p_detail text", returns: "void",
        """
        DECLARE
          v_at bigint := clock_ns() / 1000;
          v_id bigint;
        BEGIN
          LOOP
            SELECT greatest(v_at, coalesce((SELECT max(e.id) + 1 FROM events e), 0)) INTO v_id;
            INSERT INTO events(id, at, name, account, actor, session, detail)
              VALUES (v_id, v_at, p_name, p_account, p_actor, p_session, p_detail)
              ON CONFLICT (id) DO NOTHING;
            EXIT WHEN FOUND;
          END LOOP;
          IF p_account IS NULL THEN
            DELETE FROM events WHERE id IN (
              SELECT e.id FROM events e WHERE e.account IS NULL
              ORDER BY e.id DESC OFFSET \(Event.namelessLimit) LIMIT 4 FOR UPDATE SKIP LOCKED);
          END IF;
        END
        """),
      .inner(
        "keep_event", "", returns: "trigger",
        """
        BEGIN
          RAISE EXCEPTION 'events are append-only';
        END
        """),
      // A notice is a hint to look again. It names nobody, because every client can listen.
      //
      // Every client can also fill the queue of notices, and a notice that finds no room undoes its
      // transaction at the commit. So none is sent while the queue is half full: clients look again
      // by themselves.
      .inner(
        "announce", "", returns: "void",
        """
        BEGIN
          IF pg_notification_queue_usage() < \(Self.fullestQueue) THEN PERFORM pg_notify('\(Self.channel)', ''); END IF;
        END
        """),
      // Records a refusal, but not without limit: whoever is refused can repeat the call.
      .inner(
        "note_refusal", "p_name text, p_account bigint, p_actor bigint, p_session text, p_detail text",
        returns: "void",
        """
        BEGIN
          UPDATE accounts SET noted_refusals = noted_refusals + 1
            WHERE id = p_account AND noted_refusals < \(SessionPolicy.notedRefusals);
          IF FOUND THEN PERFORM record(p_name, p_account, p_actor, p_session, p_detail); END IF;
        END
        """),
      ServerFunction(
        name: "about", parameters: "", returns: "about_answer", isOpen: true,
        body: """
          DECLARE
            v_answer about_answer;
          BEGIN
            SELECT a.major, a.minor, encode(a.database_id, 'hex'), clock_ns() INTO v_answer FROM authority a;
            RETURN v_answer;
          END
          """),
    ]
  }

  /// Triggers, which need their functions.
  static let triggers = """
    CREATE TRIGGER events_keep BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION keep_event();
    CREATE TRIGGER events_stay BEFORE DELETE ON events FOR EACH ROW WHEN (old.account IS NOT NULL)
      EXECUTE FUNCTION keep_event();

    """
}
