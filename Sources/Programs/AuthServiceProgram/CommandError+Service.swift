import AuthAccounts
import AuthDevice
import AuthMessages
import CommandLineKit
import Glibc
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

  /// The hint for an operator, where it differs from the hint for a user of `auth-cli`.
  ///
  /// `whereEmpty` is the hint for a database without accounts, because nobody can register the
  /// first one here.
  func hintForOperators(whereEmpty: String? = nil) -> String {
    let asServiceUser = "Run this as the user of the service: runuser -u auth-cli -- auth-service COMMAND"
    return switch code {
    case BackendError.FailureCode.databaseMissing.rawValue, BackendError.FailureCode.schemaMissing.rawValue:
      whereEmpty ?? hint.description
    // A service keeps its file to itself for as long as it runs.
    case BackendError.FailureCode.databaseBusy.rawValue:
      "Stop the service, if it runs on this database, and try again; nothing was changed."
    case FileError.Kind.wrongOwner.rawValue: "\(asServiceUser). Or give the file to that user with chown."
    // A server on this machine takes the name of the user for the role.
    case BackendError.FailureCode.serverLoginRefused.rawValue where geteuid() == 0: "\(asServiceUser). \(hint)"
    case BackendError.Code.accountNotFound.rawValue:
      "Check the name. An administrator can list the accounts: auth-cli accounts list"
    case _: hint.description
    }
  }
}
