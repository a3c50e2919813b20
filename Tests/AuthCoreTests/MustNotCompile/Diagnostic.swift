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

  static func failure(_ message: String) -> Diagnostic {
    Diagnostic(severity: .error, line: nil, message: message)
  }

  /// Parses the compiler's output.
  ///
  /// A line is `file:line:column: severity: message` or `severity: message`. Notes only explain
  /// other diagnostics and are omitted.
  static func parse(_ output: String) -> [Diagnostic] {
    output.split(separator: "\n").compactMap { text in
      let located = #/^(?:[^:\s]*\/)?(?<file>[^:\s\/]+):(?<line>\d+):\d+: (?<severity>error|warning): (?<message>.*)$/#
      let unlocated = #/^(?:[^:\s]+: )?(?<severity>error|warning): (?<message>.*)$/#
      if let match = text.wholeMatch(of: located), let severity = Severity(rawValue: String(match.severity)) {
        let file = match.file.hasSuffix(".swift") ? match.file.dropLast(".swift".count) : match.file
        return Diagnostic(
          severity: severity, file: String(file), line: Int(match.line), message: String(match.message))
      }
      if let match = text.wholeMatch(of: unlocated), let severity = Severity(rawValue: String(match.severity)) {
        return Diagnostic(severity: severity, line: nil, message: String(match.message))
      }
      return nil
    }
  }
}
