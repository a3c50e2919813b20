import AuthBackend
import AuthCore
import AuthDevice
package import CommandLineKit
import TextFormat

/// The codes of `auth-cli`, as help and the manual page list them.
package enum ErrorGlossary {
  /// Each code with its exit status and the meanings of its messages, as a clause.
  ///
  /// Also those of backends and of the command line, by status and name.
  package static var all: [(code: String, status: ExitStatus, meaning: String)] {
    func rows<Code: RawRepresentable<String> & CaseIterable>(
      _: Code.Type, _ row: (Code) -> ErrorRow
    ) -> [(code: String, row: ErrorRow)] {
      Code.allCases.map { ($0.rawValue, row($0)) }
    }
    let own = ErrorCode.allCases.map { ($0.code, $0.row) }
    // The command line lets no other amount through to a backend, and makes one payment at a time.
    let apps = [BackendError.Code.amountInvalid, .paymentInProgress].map(\.rawValue)
    let rules = rows(BackendError.Code.self, \.row).filter { !apps.contains($0.code) }
    let failures =
      rows(BackendError.FailureCode.self, \.row) + rows(FileError.Kind.self, \.row)
      + Unavailability.Cause.allCases.map { ($0.code, $0.row) }
    let input = UsageError.Code.allCases.map { ($0.name, $0.row) } + PromptError.Code.allCases.map { ($0.name, $0.row) }
    return Dictionary(grouping: own + rules + failures + input, by: \.0)
      .map { code, rows in
        (code, rows[0].1.status, rows.map(\.1.meaning).distinct.joined(separator: ", or "))
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
