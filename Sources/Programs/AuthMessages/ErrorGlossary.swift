import AuthAccounts
import AuthCore
import AuthDevice
package import CommandLineKit
import TextFormat

/// The codes of `auth-cli`, as help and the manual page list them.
package enum ErrorGlossary {
  /// All codes, with their exit status and meaning, sorted by status and name.
  ///
  /// They include the codes of backends, of files and of the command line.
  package static var all: [(code: String, status: ExitStatus, meaning: String)] {
    typealias Entry = (code: String, status: ExitStatus, meaning: String)
    // The command line lets no other amount through to a backend, and makes one payment at a time.
    let rules = BackendError.Code.allCases.filter { $0 != .amountInvalid && $0 != .paymentInProgress }.map(\.text)
    var all = ErrorCode.allCases.map(\.row).map { Entry($0.code, $0.status, $0.message.filled()) }
    all += (rules + BackendError.FailureCode.allCases.map(\.text)).map {
      ($0.code, CommandError($0, []).status, $0.meaning)
    }
    all += FileError.Kind.allCases.map { ($0.rawValue, .cannotTell, $0.meaning) }
    all += Unavailability.Cause.allCases.map { ($0.code, .cannotTell, $0.meaning) }
    all.append((ClockError.code, .cannotTell, "the boot clock cannot be read, so no limit can be checked"))
    all += CommandError.LineCode.allCases.map { ($0.name, $0.status, $0.meaning) }
    return Dictionary(grouping: all, by: \.code)
      .map { code, rows in
        (code, rows[0].status, rows.map(\.meaning).distinct.joined(separator: ", or "))
      }
      .sorted { ($0.status.rawValue, $0.code) < ($1.status.rawValue, $1.code) }
  }

  /// The list as help and the manual page print it.
  package static var page: About.Glossary {
    About.Glossary(
      title: "Error codes", topic: "codes",
      entries: all.map { ($0.code, "\($0.status.rawValue): \($0.meaning)") })
  }
}

extension Unavailability.Cause {
  fileprivate var meaning: String {
    switch self {
    case .unreachable: "the database cannot be reached"
    case .busy: "the database is busy"
    case .unreadable: "the database cannot be read"
    case .refused: "the database refused, and gave no reason"
    case .unparsable: "the answer of the database was not understood"
    case .unwritable: "the database cannot be written"
    case .cancelled: "the request to the database was cancelled"
    case .unsupported: "the database does not offer this"
    }
  }
}
