import AuthBackend
import AuthDevice
import AuthMessages
import TextFormat

extension CommandError {
  /// An error that only `auth-service` makes.
  init(_ status: ExitStatus, saying message: String, hint: String) {
    self.init(status, "", message, hint: Hint(hint))
  }

  static var noThreads: CommandError {
    CommandError(
      .cannotTell, saying: "the system gave no threads: \(ErrorNumber.current.explanation)",
      hint: "Raise TasksMax and LimitNOFILE, or the limits of your shell.")
  }

  /// What an operator does about it, where that differs from what a user of `auth-cli` does.
  var hintForOperators: String {
    switch code {
    // Here nobody registers the first account.
    case BackendError.FailureCode.databaseMissing.rawValue:
      "Create it: auth-service schema install --first-administrator NAME, or put a backup in its place."
    // A service keeps its file to itself for as long as it runs.
    case BackendError.FailureCode.databaseBusy.rawValue:
      "Stop the service, if it runs on this database, and try again; nothing was changed."
    case FileError.Kind.wrongOwner.rawValue:
      "Run this as the user of the service (runuser -u auth-cli -- auth-service COMMAND), "
        + "or give the file to that user with chown."
    case _: hint.description
    }
  }
}
