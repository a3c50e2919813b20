import AuthBackend
import AuthCore
import TextFormat

/// Why a call of the server brought no answer, and what is known of its effect.
enum ServerFault: Error, Hashable {
  /// Nothing was sent.
  case notConnected(String, ConnectionTrouble)
  /// The server refused, and undid what it had begun.
  case refused(state: String, String)
  /// It was sent; whether it was done is not known.
  case unknown(String)
}

/// What kept a connection from being made, as far as it can be told.
enum ConnectionTrouble: Hashable {
  case address, password, entry, certificate, encryption, readOnly, silence, busy, starting, other
  /// An old primary.
  case outdated
}

/// Made-up SQLSTATEs for what the connection or the tables say and the server does not refuse.
enum ServerState {
  static let (otherEncoding, newer, older) = ("AC001", "AC002", "AC003")
}

extension ServerFault {
  /// SQLSTATEs after which the server asks to try again: it undid everything.
  var asksToRetry: Bool {
    guard case .refused(let state, _) = self else { return false }
    return state == "40001" || state == "40P01"
  }

  /// What it means where nothing was changed.
  func failure(at place: String) -> BackendError {
    switch self {
    case .notConnected(let message, let trouble): return trouble.failure(message)
    case .unknown(let message):
      return .unavailable(
        .unreachable, "server_lost", "The database at \(place) did not answer: \(message).",
        hint: "Check that it runs and can be reached; nothing was changed.")
    case .refused(let state, let message): return Self.refused(state, message, place)
    }
  }

  private static func refused(_ state: String, _ message: String, _ place: String) -> BackendError {
    switch state {
    case "3F000", "42883", "42P01":
      return .unavailable(
        .unreachable, "schema_missing", "The database at \(place) has no accounts yet: \(message).",
        hint: "Create the tables: auth-service schema install --first-administrator NAME")
    case "42501":
      return .unavailable(
        .unreachable, "role_not_permitted", "The role of the service at \(place) may not use the accounts: \(message).",
        hint: "Connect as the role that created the tables; auth-service schema check shows whose they are.")
    case "25006":
      return .unavailable(
        .unwritable, "server_read_only", "The database at \(place) accepts no changes: \(message).",
        hint: "Connect to the primary server: name all hosts, and libpq finds it. Nothing was changed.")
    case "53100", "53000", "53200":
      return .unavailable(
        .unwritable, "server_full", "The database at \(place) has no room: \(message).",
        hint: "Make room at the server; nothing was changed.")
    case ServerState.newer:
      return .unavailable(
        .unparsable, "database_newer", "The tables at \(place) were made by a newer version: \(message).",
        hint: "Nothing was changed. Install the newer version.")
    case ServerState.older:
      return .unavailable(
        .unparsable, "database_older", "The tables at \(place) were made by an older version: \(message).",
        hint: "Nothing was changed. Bring them up to date: auth-service schema upgrade")
    case ServerState.otherEncoding:
      return .unavailable(
        .unreadable, "server_encoding", "The database at \(place) has the encoding \(message), and has to have UTF8.",
        hint: "Nothing was changed. Make it with: createdb --template=template0 --encoding=UTF8 --locale=C NAME")
    case "55P03", "57014", "40001", "40P01":
      return .unavailable(
        .busy, "database_busy", "The database at \(place) is busy: \(message).", hint: "Try again; nothing was changed."
      )
    case _:
      return .unavailable(
        .unreadable, "database_error", "The database at \(place) reported an error (\(state)): \(message).",
        hint: "Nothing was changed. Look into the log of the server.")
    }
  }

  /// A change was sent, and nobody knows whether it was made.
  static func outcomeUnknown(_ message: String, at place: String) -> BackendError {
    .unavailable(
      .unwritable, "outcome_unknown",
      "The database at \(place) did not answer: \(message); the change may have been made all the same.",
      hint: "Look whether it was made before you make it again.")
  }
}

extension ConnectionTrouble {
  /// Tells troubles apart by the state that the server gave, and by what libpq and OpenSSL say,
  /// which is English in every locale that we set.
  init(_ message: String, state: String?, needsPassword: Bool, usedPassword: Bool) {
    func says(_ words: String) -> Bool { message.contains(words) }
    if state == "53300" {
      self = .busy
    } else if state == "57P03", !says("ot standby mode is disabled") {
      self = .starting
    } else if says("authentication failed") || (needsPassword || usedPassword) && says("password")
      || says("FATAL:  role ")
    {
      self = .password
    } else if says("no pg_hba.conf entry") {
      self = .entry
    } else if says("certificate") || says("root.crt") {
      self = .certificate
    } else if says("SSL") || says("encryption") {
      self = .encryption
    } else if says("read-only") || says("ot standby mode is disabled") || says("not in hot standby") {
      self = .readOnly
    } else if says("definition of service") || says("service file") {
      self = .address
    } else {
      self = .other
    }
  }

  /// A stable name for programs.
  var code: String {
    switch self {
    case .address: "service_unknown"
    case .password, .entry: "server_login_refused"
    case .certificate: "server_certificate"
    case .encryption: "server_encryption"
    case .readOnly: "server_read_only"
    case .silence: "server_silent"
    case .outdated: "server_outdated"
    case .busy: "server_busy"
    case .starting: "server_starting"
    case .other: "server_unreachable"
    }
  }

  /// What to do about it.
  private var hint: String {
    switch self {
    case .address: "Check the address that auth-service has, and its ~/.pg_service.conf; nothing was changed."
    case .password:
      "Check the role in the address that auth-service has, and its password in ~/.pgpass; nothing was changed."
    case .entry: "The server's pg_hba.conf must let this role, host and encryption in; nothing was changed."
    case .certificate:
      "Put the certificate of the server's authority into ~/.postgresql/root.crt, and name the host as the server's certificate does."
    case .encryption: "Let the server offer TLS, or say what is enough: sslmode=require in its address."
    case .readOnly: "Wait until a standby server is promoted, or name all hosts; nothing was changed."
    case .silence: "Check that the server runs and that the network lets you through; nothing was changed."
    case .busy: "It has no connection free: wait for others, or raise max_connections there. Nothing was changed."
    case .starting: "It is starting or stopping: try again in a moment. Nothing was changed."
    case .outdated:
      "Stop the old primary, or make it a standby. If it is the right server: auth-service forget-timeline"
    case .other: "Check the address that auth-service has, and that the server runs; nothing was changed."
    }
  }

  func failure(_ message: String) -> BackendError {
    let cause: Unavailability.Cause =
      switch self {
      case .readOnly: .unwritable
      case .busy, .starting: .busy
      case .address, .password, .entry, .certificate, .encryption, .silence, .outdated, .other: .unreachable
      }
    return .unavailable(cause, code, "The database cannot be reached: \(message).", hint: hint)
  }
}
