/// One diagnostic of the compiler.
struct Diagnostic: Equatable, CustomStringConvertible {
  enum Severity: String {
    case error
    case warning
  }

  var severity: Severity
  /// The name of the file without its extension; nil if the diagnostic has no location.
  var file: String?
  /// The line, counted from 1; nil if the diagnostic has no line.
  var line: Int?
  var message: String

  var description: String { "line \(line.map(String.init) ?? "unknown"): \(severity.rawValue): \(message)" }

  /// Parses the compiler's output.
  ///
  /// A line is `file:line:column: severity: message` or `severity: message`. Notes only explain
  /// other diagnostics and are omitted.
  static func parse(_ output: String) -> [Diagnostic] {
    output.split(separator: "\n").compactMap { text in
      let form =
        #/^(?:(?:[^:\s]*\/)?(?<file>[^:\s\/]+):(?<line>\d+):\d+: |[^:\s]+: )?(?<severity>error|warning): (?<message>.*)$/#
      guard let match = text.wholeMatch(of: form), let severity = Severity(rawValue: String(match.severity)) else {
        return nil
      }
      let file = match.file.map { $0.hasSuffix(".swift") ? $0.dropLast(".swift".count) : $0 }
      return Diagnostic(
        severity: severity, file: file.map { String($0) }, line: match.line.flatMap { Int($0) },
        message: String(match.message))
    }
  }
}
