import AuthCore

extension BackendError {
  /// What the database, the system or the service could not do, each with a stable code.
  package enum FailureCode: ErrorCodeList {
    case answerTooLong, answerUnknown, clockWasAhead, databaseBusy, databaseCannotOpen, databaseCorrupt,
      databaseError, databaseForeign, databaseInUse, databaseInconsistent, databaseMissing, databaseNewer,
      databaseOlder, databaseReadOnly, eventsChanged, hashingFailed, messageInvalid, noRandomness, outcomeUnknown,
      requestTooLong, roleNotPermitted, schemaMissing, serverBusy, serverCertificate, serverEncoding,
      serverEncryption, serverFull, serverLoginRefused, serverLost, serverOutdated, serverPooled, serverReadOnly,
      serverSilent, serverStarting, serverUnreachable, serviceBusy, serviceGarbled, serviceLost, serviceMissing,
      serviceNotPermitted, serviceOtherVersion, serviceSilent, serviceStopping, serviceUnknown, serviceUnreachable,
      serviceUntrusted, sessionOfOtherDatabase, sshFailed, sshMissing, watchFailed
  }
}

extension BackendError.FailureCode {
  package var text: ErrorText {
    switch self {
    case .answerTooLong:
      .unparsable("answer_too_long", "the answer has more than {COUNT} bytes")
        .hint("Install the same version of both programs.")
    case .answerUnknown:
      .unparsable("answer_unknown", "the answer of the database does not belong to the request")
        .hint("Install the same version of both programs.")
    case .clockWasAhead:
      .unreadable(
        "clock_was_ahead", "the clock was ahead when a code was used last, so no code is accepted before {TIME}"
      )
      .hint("Check the clock of the computer with the database. Until then, use a recovery code.")
    case .databaseBusy: .busy("database_busy", "{DATABASE} is busy: {REASON}").hint("Try again; nothing was changed.")
    case .databaseCannotOpen:
      .unreachable("database_cannot_open", "{FILE} or its journal cannot be opened: {REASON}")
        .hint("Check owner and permissions of the file and its directory.")
    case .databaseCorrupt:
      .unreadable("database_corrupt", "{DATABASE} is damaged or not a database: {REASON}")
        .hint("Nothing was changed. Keep it as evidence and put a backup in its place.")
    case .databaseError:
      .unreadable("database_error", "{DATABASE} reported an error: {REASON}")
        .hint("Nothing was changed. Check the disk, or the log of the server, then try again.")
    case .databaseForeign:
      .unreadable("database_foreign", "{FILE} is the database of another program")
        .hint("Nothing was changed. Choose another directory, or move the file away.")
    case .databaseInUse:
      .busy("database_in_use", "{DATABASE} is in use by another process")
        .hint("Stop every service and every auth-cli that uses it; nothing was changed.")
    case .databaseInconsistent:
      .unreadable("database_inconsistent", "{FILE} refused a change that its rules forbid: {REASON}")
        .hint("Nothing was changed; keep the file and report this.")
    case .databaseMissing:
      .unreachable("database_missing", "there are no accounts yet: {FILE} {REASON}")
        .hint("Register the first account, or put a backup in its place.")
    case .databaseNewer:
      .unparsable("database_newer", "{DATABASE} has schema {VERSION}, and this program knows up to {KNOWN}")
        .hint(
          "Nothing was changed. Install the version that wrote it. One from before 1.0.0 cannot be used: move it away and register again."
        )
    case .databaseOlder:
      .unparsable(
        "database_older", "{DATABASE} has schema {VERSION}, made by an older version; this one needs {NEEDED}"
      )
      .hint("Nothing was changed. Bring it up to date: auth-service schema upgrade")
    case .databaseReadOnly:
      .unwritable("database_read_only", "{FILE} cannot be written: {REASON}")
        .hint("Make the file and its directory writable for this user; nothing was changed.")
    case .eventsChanged:
      .busy("events_changed", "the events changed while they were archived: {COUNT} were read, and {FOUND} found")
        .hint("The file is complete. Archive the events that were left into another file.")
    case .hashingFailed:
      .unreadable("hashing_failed", "libcrypt could not hash the password: {REASON}")
        .hint("It needs 64 MiB of free memory; if that much is free, the stored hash is damaged. Nothing was changed.")
    case .messageInvalid:
      .unparsable("message_invalid", "the service did not understand a message: {REASON}")
        .hint("Install the same version of both programs.")
    case .noRandomness:
      .unreachable("no_randomness", "the kernel gave no random bytes: {REASON}").hint("Try again; nothing was changed.")
    case .outcomeUnknown:
      .unwritable(
        "outcome_unknown", "{DATABASE} did not confirm the change: {REASON}; it may have been made all the same"
      )
      .hint("Check whether it was made before you repeat it; a payment with {an idempotency key} is never made twice.")
    case .requestTooLong:
      .unparsable("request_too_long", "the request is longer than the service accepts: {REASON}")
        .hint("Use shorter values; nothing was sent.")
    case .roleNotPermitted:
      .unreachable("role_not_permitted", "the role of this connection may not do that to {DATABASE}: {REASON}")
        .hint("Nothing was changed. Connect as the owner. Or, as the superuser: ALTER DATABASE NAME OWNER TO ROLE")
    case .schemaMissing:
      .unreachable("schema_missing", "{DATABASE} has no accounts yet: {REASON}")
        .hint("Check the database of the service: auth-service schema check --postgres-file FILE")
    case .serverBusy:
      unreached(.busy, "server_busy", "the server has no free connection")
        .hint("All its connections are in use: try again later, or raise max_connections. Nothing was changed.")
    case .serverCertificate:
      unreached(.unreachable, "server_certificate", "the certificate of the server is not accepted")
        .hint("Put its authority into ~/.postgresql/root.crt, and name the host as its certificate does.")
    case .serverEncoding:
      .unreadable("server_encoding", "{DATABASE} must use UTF8, but uses {ENCODING}")
        .hint("Nothing was changed. Use: createdb --owner=ROLE --template=template0 --encoding=UTF8 --locale=C NAME")
    case .serverEncryption:
      unreached(.unreachable, "server_encryption", "the server does not offer the encryption that its address asks for")
        .hint("Let the server offer TLS, or say what is enough: sslmode=require in its address.")
    case .serverFull:
      .unwritable("server_full", "{DATABASE} has no room: {REASON}")
        .hint("Make room at the server; nothing was changed.")
    case .serverLoginRefused:
      unreached(.unreachable, "server_login_refused", "the server does not accept the role or its password")
        .hint("Check the role in the address, its password in ~/.pgpass, and pg_hba.conf there; nothing was changed.")
    case .serverLost:
      .unreachable("server_lost", "the database at {PLACE} did not answer: {REASON}")
        .hint("Check that it runs and can be reached; nothing was changed.")
    case .serverOutdated:
      unreached(.unreachable, "server_outdated", "the server lacks changes that another primary confirmed")
        .hint("Stop it, or make it a standby. If it is the right server: auth-service forget-timeline")
    case .serverPooled:
      .unreachable(
        "server_pooled", "{DATABASE} is behind a pooler that gives each transaction another connection to the server"
      )
      .hint("Use session pooling (pgbouncer: pool_mode=session), or connect to the server itself; nothing was changed.")
    case .serverReadOnly:
      .unwritable("server_read_only", "the database accepts no changes: {REASON}")
        .hint("Name all hosts, so that libpq finds the primary, or wait for a promotion; nothing was changed.")
    case .serverSilent:
      unreached(.unreachable, "server_silent", "the server did not answer in time")
        .hint("Check that the server runs and that the network lets you through; nothing was changed.")
    case .serverStarting:
      unreached(.busy, "server_starting", "the server is starting or stopping")
        .hint("It is starting or stopping: try again in a moment. Nothing was changed.")
    case .serverUnreachable:
      unreached(.unreachable, "server_unreachable", "the server cannot be reached")
        .hint("Check the address that auth-service has, and that the server runs; nothing was changed.")
    case .serviceBusy:
      .busy("service_busy", "the service has too many connections or requests")
        .hint("Try again in {SECONDS} s; nothing was changed.")
    case .serviceGarbled:
      unanswered(.unparsable, "service_garbled", "the answer of the service was not understood")
        .hint("Check that it is auth-service, and that no start-up file of a shell prints anything there.")
    case .serviceLost:
      unanswered(.unreachable, "service_lost", "the connection to the service ended before its answer")
        .hint("Check that auth-service runs there; nothing was changed.")
    case .serviceSilent:
      unanswered(.unreachable, "service_silent", "the service did not answer in time")
        .hint("Check that auth-service runs there; nothing was changed.")
    case .serviceMissing:
      .unreachable("service_missing", "{HOST} has no auth-service that ssh finds")
        .hint("Install it there, or see the article 'Running the service' for a forced command; nothing was changed.")
    case .serviceNotPermitted:
      .unreachable("service_not_permitted", "you may not connect to the service at {PLACE}: {REASON}")
        .hint("If it is the service's socket, ask root to add you to the group; it takes effect at your next login.")
    case .serviceOtherVersion:
      .failed(
        .unparsable, "service_other_version",
        "the service at {PLACE} speaks version {VERSION} of the protocol; this program speaks {OWN}",
        meaning: "the service speaks another version of the protocol"
      )
      .hint("Install the newer {PROGRAM}; nothing was changed.")
    case .serviceStopping: .busy("service_stopping", "the service is stopping").hint("Try again; nothing was changed.")
    case .serviceUnknown:
      unreached(.unreachable, "service_unknown", "libpq knows no service of this name")
        .hint("Check the address that auth-service has, and its ~/.pg_service.conf; nothing was changed.")
    case .serviceUnreachable:
      .unreachable("service_unreachable", "no service can be reached at {PLACE}: {REASON}")
        .hint("Check AUTH_CLI_AUTHORITY, and that auth-service runs there; nothing was changed.")
    case .serviceUntrusted:
      .unreachable("service_untrusted", "the service at {PLACE} is not trusted: {REASON}")
        .hint("Nothing was sent. The socket and its directories must belong to root, to you or to auth-cli.")
    case .sessionOfOtherDatabase:
      .unreachable(
        "session_of_other_database", "the session belongs to the database {DATABASE}, and {PLACE} has {OTHER}"
      )
      .hint("Use the database that it was at login.")
    case .sshFailed:
      .unreachable("ssh_failed", "ssh could not reach the service at {HOST}; its own message is above")
        .hint("Check that this prints a number above 0: {COMMAND}")
    case .sshMissing:
      .unreachable("ssh_missing", "ssh cannot be run: {REASON}")
        .hint("Install the client of OpenSSH; nothing was changed.")
    case .watchFailed:
      .unreadable("watch_failed", "{WHAT} cannot be watched: {REASON}")
        .hint("Check the directory, or raise the limit that the message names, such as with sysctl. Then try again.")
    }
  }

  // Several codes have one message, so each has a meaning of its own.

  private func unreached(_ cause: Unavailability.Cause, _ code: String, _ meaning: String) -> ErrorText {
    .failed(cause, code, "the database cannot be reached: {REASON}", meaning: meaning)
  }

  private func unanswered(_ cause: Unavailability.Cause, _ code: String, _ meaning: String) -> ErrorText {
    .failed(cause, code, "the service at {PLACE} gave no answer: {REASON}", meaning: meaning)
  }
}
