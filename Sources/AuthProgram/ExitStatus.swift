import AuthMessages

extension ExitStatus {
  /// What help and the man page say of it.
  var meaning: String {
    switch self {
    case .done: "done, or yes"
    case .no: "no: not logged in, refused, not enough money"
    case .usage: "the command line or the input is not valid; nothing was changed"
    case .cannotTell:
      "cannot tell or cannot save: a file or the database is missing, damaged, busy, full or not permitted"
    case .logInFirst: "log in first, or enter the password again with 'reauth'"
    case .credentials: "wrong name, password or code"
    case .throttled: "too many attempts; the message says when to try again"
    }
  }
}
