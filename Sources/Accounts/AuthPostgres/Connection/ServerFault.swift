import AuthAccounts
import AuthRules

/// Why a call of the server brought no answer, and what is known of its effect.
enum ServerFault: Error, Hashable {
  /// Nothing was sent.
  case notConnected(String, BackendError.FailureCode)
  /// The server refused, and undid what it had begun.
  case refused(state: String, String)
  /// It was sent; whether it was done is not known.
  case unknown(String)
}

/// Made-up SQLSTATEs for what the connection or the tables say and the server does not refuse.
enum ServerState {
  static let (otherEncoding, newer, older, pooled) = ("AC001", "AC002", "AC003", "AC004")
}

extension ServerFault {
  /// What the server or libpq said.
  var message: String {
    switch self {
    case .notConnected(let message, _), .refused(_, let message), .unknown(let message): message
    }
  }

  /// The error for the caller where nothing was changed.
  func failure(at place: String) -> BackendError {
    switch self {
    case .notConnected(let message, let code): .unavailable(code, message)
    case .unknown(let message): .unavailable(.serverLost, place, message)
    case .refused(let state, let message): Self.refused(state, message, "the database at \(place)")
    }
  }

  private static func refused(_ state: String, _ message: String, _ database: String) -> BackendError {
    switch state {
    case "3F000", "42883", "42P01": .unavailable(.schemaMissing, database, message)
    case "42501": .unavailable(.roleNotPermitted, database, message)
    case "25006": .unavailable(.serverReadOnly, message)
    case "53100", "53000", "53200": .unavailable(.serverFull, database, message)
    case ServerState.newer: .unavailable(.databaseNewer, database, message, "\(Schema.current.version)")
    case ServerState.older: .unavailable(.databaseOlder, database, message, "\(Schema.current.version)")
    // A statement that was prepared is not there, or is there already.
    case ServerState.pooled, "26000", "42P05": .unavailable(.serverPooled, database)
    case ServerState.otherEncoding: .unavailable(.serverEncoding, database, message)
    case "55P03", "57014", "40001", "40P01": .unavailable(.databaseBusy, database, message)
    case _: .unavailable(.databaseError, database, "\(message) (\(state))")
    }
  }
}

extension BackendError.FailureCode {
  /// Tells what kept a connection from being made by the state that the server gave, and by what
  /// libpq and OpenSSL say, which is English in every locale that we set.
  init(connecting message: String, state: String?, isAboutPassword: Bool) {
    func says(_ words: String...) -> Bool { words.contains { message.contains($0) } }
    self =
      switch state {
      case "53300": .serverBusy
      case "57P03" where !says("ot standby mode is disabled"): .serverStarting
      case _ where says("authentication failed", "FATAL:  role ", "no pg_hba.conf entry"): .serverLoginRefused
      case _ where isAboutPassword && says("password"): .serverLoginRefused
      case _ where says("certificate", "root.crt"): .serverCertificate
      case _ where says("SSL", "encryption"): .serverEncryption
      case _ where says("read-only", "ot standby mode is disabled", "not in hot standby"): .serverReadOnly
      case _ where says("definition of service", "service file"): .serviceUnknown
      case _: .serverUnreachable
      }
  }
}
