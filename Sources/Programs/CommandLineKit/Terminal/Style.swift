/// Emphasis on a stream: escape sequences (ECMA-48, SGR) on a terminal that supports them,
/// otherwise nothing.
package struct Style: Hashable, Sendable {
  /// Whether colour and emphasis may be used.
  package let allowsColor: Bool

  /// Chooses the style for one stream, by the convention of no-color.org.
  ///
  /// `environment` looks up a variable.
  package init(isTerminal: Bool, noColorOption: Bool, environment: (String) -> String?) {
    let terminal = environment("TERM") ?? ""
    allowsColor =
      isTerminal && !noColorOption && (environment("NO_COLOR") ?? "").isEmpty && !terminal.isEmpty && terminal != "dumb"
  }

  /// No emphasis.
  package static let plain = Style(isTerminal: false, noColorOption: true) { _ in nil }

  /// Returns `text` in bold, or unchanged if the style is off; empty text stays empty.
  package func bold(_ text: String) -> String {
    allowsColor && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
