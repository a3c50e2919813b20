import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// Why a command of `auth-service` did not do what it was asked: what happened, and what to do.
struct ServiceError: Error, Equatable, Sendable {
  let status: ServiceExit
  let message: String
  let hint: String

  init(_ status: ServiceExit, _ message: String, hint: String) {
    self.status = status
    self.message = message
    self.hint = hint
  }

  init(_ error: BackendError) {
    guard case .unavailable(let failure) = error.kind else {
      let row = error.row
      self.init(
        row.flatMap { ServiceExit(rawValue: $0.status.rawValue) } ?? .no,
        row?.sentence(error.values) ?? error.description,
        hint: row?.fullHint ?? "Use programs of one version.")
      return
    }
    let hint =
      switch failure.code {
      // Here nobody registers the first account.
      case "database_missing":
        "Create it: auth-service schema install --first-administrator NAME, or put a backup in its place."
      // A service keeps its file to itself for as long as it runs.
      case "database_busy": "Stop the service, if it runs on this database, and try again; nothing was changed."
      case "file_wrong_owner":
        "Run this as the user of the service, such as: runuser -u auth-cli -- auth-service COMMAND"
      case _: failure.hint
      }
    self.init(.cannotTell, failure.description, hint: hint)
  }

  init(_ error: FileError) { self.init(.cannotTell, error.description, hint: error.hint) }
  init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }
  init(_ error: PromptError) {
    self.init(error.code == .unreadableInput ? .cannotTell : .usage, error.message, hint: error.hint)
  }
}

extension ServiceError {
  static var noThreads: ServiceError {
    ServiceError(
      .cannotTell, "the system gave no threads: \(ErrorNumber.current.explanation)",
      hint: "Raise TasksMax and LimitNOFILE, or the limits of your shell.")
  }
}

/// How a run ended, with the numbers of `auth-cli`.
enum ServiceExit: Int32, Sendable, CaseIterable {
  case done = 0
  case no = 1
  case usage = 2
  case cannotTell = 3

  var declaration: StatusDeclaration {
    let meaning =
      switch self {
      case .done: "done, or yes"
      case .no: "no: refused, or not healthy"
      case .usage: "the command line or the input is not valid; nothing was changed"
      case .cannotTell: "a file, a socket or the database is missing, damaged, busy or not permitted"
      }
    return StatusDeclaration(code: rawValue, meaning: meaning)
  }
}

extension [StatusDeclaration] {
  static func of(_ statuses: ServiceExit...) -> [StatusDeclaration] { statuses.map(\.declaration) }
}
