import AuthBackend
import AuthCore
import AuthDevice

/// The table of errors, for failures: what a database, the system or a service could not do.
extension BackendError.FailureCode {
  package var row: ErrorRow {
    switch self {
    case .answerTooLong:
      .cannotTell("the answer has more than {COUNT} bytes").hint("Install the same version of both programs.")
    case .answerUnknown:
      .cannotTell("the database gave the answer to another question").hint("Install the same version of both programs.")
    case .clockUnreadable: .cannotTell(meaning: "the boot clock cannot be read, so no limit can be checked")
    case .clockWasAhead:
      .cannotTell("the clock was ahead when a code was used last, so no code is accepted before {TIME}")
        .hint("Check the clock of the computer with the database. Until then, use a recovery code.")
    case .databaseBusy: .cannotTell("{DATABASE} is busy: {REASON}").hint("Try again; nothing was changed.")
    case .databaseCannotOpen:
      .cannotTell("{FILE} or its journal cannot be opened: {REASON}")
        .hint("Check owner and permissions of the file and its directory.")
    case .databaseCorrupt:
      .cannotTell("{DATABASE} is damaged or not a database: {REASON}")
        .hint("Nothing was changed. Keep it as evidence and put a backup in its place.")
    case .databaseError:
      .cannotTell("{DATABASE} reported an error: {REASON}")
        .hint("Nothing was changed. Check the disk, or the log of the server, then try again.")
    case .databaseForeign:
      .cannotTell("{FILE} is the database of another program")
        .hint("Nothing was changed. Choose another directory, or move the file away.")
    case .databaseInUse:
      .cannotTell("{DATABASE} is in use by another process")
        .hint("Stop every service and every auth-cli that uses it; nothing was changed.")
    case .databaseInconsistent:
      .cannotTell("{FILE} refused a change that its rules forbid: {REASON}")
        .hint("Nothing was changed; keep the file and report this.")
    case .databaseMissing:
      .cannotTell("there are no accounts yet: {FILE} {REASON}")
        .hint("Register the first account: \(run: "register", "USER"). Or put a backup in its place.")
    case .databaseNewer:
      .cannotTell("{DATABASE} has schema {VERSION}, made by a newer version; this one knows up to {KNOWN}")
        .hint("Nothing was changed. Install the newer version.")
    case .databaseOlder:
      .cannotTell("{DATABASE} has schema {VERSION}, made by an older version; this one needs {NEEDED}")
        .hint("Nothing was changed. Bring it up to date: auth-service schema upgrade --postgres-file FILE")
    case .databaseReadOnly:
      .cannotTell("{FILE} cannot be written: {REASON}")
        .hint("Make the file and its directory writable for this user; nothing was changed.")
    case .eventsChanged:
      .cannotTell("the events changed while they were archived: {COUNT} were read, and {FOUND} found")
        .hint("Nothing was deleted. Archive them again.")
    case .hashingFailed:
      .cannotTell("libcrypt could not hash the password: {REASON}")
        .hint("It needs 64 MiB of free memory; if that much is free, the stored hash is damaged. Nothing was changed.")
    case .messageInvalid:
      .cannotTell("the service did not understand a message: {REASON}").hint(
        "Install the same version of both programs.")
    case .noRandomness: .cannotTell("the kernel gave no random bytes: {REASON}").hint("Try again; nothing was changed.")
    case .outcomeUnknown:
      .cannotTell("{DATABASE} did not confirm the change: {REASON}; it may have been made all the same")
        .hint("Check that before you make it again; a payment with {an idempotency key} is never made twice.")
    case .requestTooLong:
      .cannotTell("the request is longer than the service accepts: {REASON}")
        .hint("Use shorter values; nothing was sent.")
    case .roleNotPermitted:
      .cannotTell("the role of this connection may not do that to {DATABASE}: {REASON}")
        .hint("Nothing was changed. Connect as the owner. Or, as the superuser: ALTER DATABASE NAME OWNER TO ROLE")
    case .schemaMissing:
      .cannotTell("{DATABASE} has no accounts yet: {REASON}")
        .hint("Check the database of the service: auth-service schema check --postgres-file FILE")
    case .serverBusy:
      unreached("the server has no free connection")
        .hint("It has no connection free: wait for others, or raise max_connections there. Nothing was changed.")
    case .serverCertificate:
      unreached("the certificate of the server is not accepted")
        .hint("Put its authority into ~/.postgresql/root.crt, and name the host as its certificate does.")
    case .serverEncoding:
      .cannotTell("{DATABASE} must use UTF8, but uses {ENCODING}")
        .hint("Nothing was changed. Use: createdb --owner=ROLE --template=template0 --encoding=UTF8 --locale=C NAME")
    case .serverEncryption:
      unreached("the server does not offer the encryption that its address asks for")
        .hint("Let the server offer TLS, or say what is enough: sslmode=require in its address.")
    case .serverFull:
      .cannotTell("{DATABASE} has no room: {REASON}").hint("Make room at the server; nothing was changed.")
    case .serverLoginRefused:
      unreached("the server does not accept the role or its password")
        .hint("Check the role in the address, its password in ~/.pgpass, and pg_hba.conf there; nothing was changed.")
    case .serverLost:
      .cannotTell("the database at {PLACE} did not answer: {REASON}")
        .hint("Check that it runs and can be reached; nothing was changed.")
    case .serverOutdated:
      unreached("the server lacks changes that another primary confirmed")
        .hint("Stop it, or make it a standby. If it is the right server: auth-service forget-timeline")
    case .serverReadOnly:
      .cannotTell("the database accepts no changes: {REASON}")
        .hint("Name all hosts, so that libpq finds the primary, or wait for a promotion; nothing was changed.")
    case .serverSilent:
      unreached("the server did not answer in time")
        .hint("Check that the server runs and that the network lets you through; nothing was changed.")
    case .serverStarting:
      unreached("the server is starting or stopping")
        .hint("It is starting or stopping: try again in a moment. Nothing was changed.")
    case .serverUnreachable:
      unreached("the server cannot be reached")
        .hint("Check the address that auth-service has, and that the server runs; nothing was changed.")
    case .serviceBusy:
      .cannotTell("the service has too many connections or requests")
        .hint("Try again in {SECONDS} s; nothing was changed.")
    case .serviceGarbled:
      unanswered("the answer of the service was not understood")
        .hint("Check that it is auth-service, and that no start-up file of a shell prints anything there.")
    case .serviceLost:
      unanswered("the connection to the service ended before its answer")
        .hint("Check that auth-service runs there; nothing was changed.")
    case .serviceSilent:
      unanswered("the service did not answer in time")
        .hint("Check that auth-service runs there; nothing was changed.")
    case .serviceMissing:
      .cannotTell("{HOST} has no auth-service that ssh finds")
        .hint("Install it there, or see the article 'Running the service' for a forced command; nothing was changed.")
    case .serviceNotPermitted:
      .cannotTell("you may not connect to the service at {PLACE}: {REASON}")
        .hint("If it is the service's socket, ask root to add you to the group; it takes effect at your next login.")
    case .serviceOtherVersion:
      .cannotTell(
        "the service at {PLACE} speaks version {VERSION} of the protocol; this program speaks {OWN}",
        meaning: "the service speaks another version of the protocol"
      )
      .hint("Install the newer {PROGRAM}; nothing was changed.")
    case .serviceStopping: .cannotTell("the service is stopping").hint("Try again; nothing was changed.")
    case .serviceUnknown:
      unreached("libpq knows no service of this name")
        .hint("Check the address that auth-service has, and its ~/.pg_service.conf; nothing was changed.")
    case .serviceUnreachable:
      .cannotTell("no service can be reached at {PLACE}: {REASON}")
        .hint("Check AUTH_CLI_AUTHORITY, and that auth-service runs there; nothing was changed.")
    case .serviceUntrusted:
      .cannotTell("the service at {PLACE} is not trusted: {REASON}")
        .hint("Nothing was sent. It has to be root's, yours or the user auth-cli's, and nobody else may write there.")
    case .sessionOfOtherDatabase:
      .cannotTell("the session belongs to the database {DATABASE}, and {PLACE} has {OTHER}")
        .hint("Set AUTH_CLI_AUTHORITY as it was at login. If it is the same, \(run: "logout") says what to delete.")
    case .sshFailed:
      .cannotTell("ssh could not reach the service at {HOST}; its own message is above")
        .hint("Check that this prints a number above 0: {COMMAND}")
    case .sshMissing:
      .cannotTell("ssh cannot be run: {REASON}").hint("Install the client of OpenSSH; nothing was changed.")
    case .watchFailed:
      .cannotTell("{WHAT} cannot be watched: {REASON}")
        .hint("Check the directory and the limit of inotify watches, then try again.")
    }
  }

  // Several codes have one message, so each has a meaning of its own.

  private func unreached(_ meaning: String) -> ErrorMessage {
    ErrorRow.cannotTell("the database cannot be reached: {REASON}", meaning: meaning)
  }

  private func unanswered(_ meaning: String) -> ErrorMessage {
    ErrorRow.cannotTell("the service at {PLACE} gave no answer: {REASON}", meaning: meaning)
  }
}

extension FileError.Kind {
  package var row: ErrorRow {
    switch self {
    case .missing: .cannotTell(meaning: "a file is missing")
    case .wrongType: .cannotTell(meaning: "not a regular file")
    case .wrongOwner: .cannotTell(meaning: "a file belongs to another user")
    case .wrongMode: .cannotTell(meaning: "other users may use a file")
    case .denied: .cannotTell(meaning: "the permissions of a file do not allow its use")
    case .noSpace: .cannotTell(meaning: "the disk is full")
    case .readOnly: .cannotTell(meaning: "a file is on a read-only file system")
    case .system: .cannotTell(meaning: "the system reported another error for a file")
    }
  }
}

extension Unavailability.Cause {
  package var row: ErrorRow {
    switch self {
    case .unreachable: .cannotTell(meaning: "the database cannot be reached")
    case .busy: .cannotTell(meaning: "the database is busy")
    case .unreadable: .cannotTell(meaning: "the database cannot be read")
    case .unparsable: .cannotTell(meaning: "the answer of the database was not understood")
    case .unwritable: .cannotTell(meaning: "the database cannot be written")
    case .cancelled: .cannotTell(meaning: "the request to the database was cancelled")
    case .unsupported: .cannotTell(meaning: "the database does not offer this")
    }
  }
}
