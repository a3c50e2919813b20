import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// Why a command of `auth-service` did not do what it was asked: what happened, and what to do.
struct ServiceError: Error, Equatable, Sendable {
  let status: ExitStatus
  let message: String
  let hint: String

  init(_ status: ExitStatus, _ message: String, hint: String) {
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// An error that both programs make.
  init(_ error: ErrorCode, _ values: String...) {
    let words = error.row.filled(values)
    self.init(error.row.status, words.message, hint: words.hint.description)
  }

  init(_ error: BackendError) {
    guard case .unavailable(let failure) = error.kind else {
      let row = ErrorRow.of(error.code)
      let words = row?.filled(error.values)
      self.init(
        row?.status ?? .no, words?.message ?? error.description,
        hint: words?.hint.description ?? "Use programs of one version.")
      return
    }
    let words = failure.words
    let hint =
      switch failure.code {
      // Here nobody registers the first account.
      case BackendError.FailureCode.databaseMissing.rawValue:
        "Create it: auth-service schema install --first-administrator NAME, or put a backup in its place."
      // A service keeps its file to itself for as long as it runs.
      case BackendError.FailureCode.databaseBusy.rawValue:
        "Stop the service, if it runs on this database, and try again; nothing was changed."
      case FileError.Kind.wrongOwner.rawValue:
        "Run this as the user of the service, such as: runuser -u auth-cli -- auth-service COMMAND"
      case _: words.hint.description
      }
    self.init(.cannotTell, words.message, hint: hint)
  }

  init(_ error: FileError) { self.init(BackendError(error)) }
  init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }
  init(_ error: PromptError) {
    self.init(error.code.row.status, error.message, hint: error.hint)
  }
}

extension ServiceError {
  static var noThreads: ServiceError {
    ServiceError(
      .cannotTell, "the system gave no threads: \(ErrorNumber.current.explanation)",
      hint: "Raise TasksMax and LimitNOFILE, or the limits of your shell.")
  }
}

extension ExitStatus {
  /// The statuses of `auth-service`, as help lists them.
  static let ofService: [ExitStatus] = [.done, .no, .usage, .cannotTell]

  var declaration: StatusDeclaration {
    let meaning =
      switch self {
      case .done: "done, or yes"
      case .no: "no: refused, or not healthy"
      case .usage: "the command line or the input is not valid; nothing was changed"
      case .cannotTell, .logInFirst, .credentials, .throttled:
        "a file, a socket or the database is missing, damaged, busy or not permitted"
      }
    return StatusDeclaration(code: rawValue, meaning: meaning)
  }
}

extension [StatusDeclaration] {
  static func of(_ statuses: ExitStatus...) -> [StatusDeclaration] { statuses.map(\.declaration) }
}
