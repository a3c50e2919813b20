/// Emphasis on a stream: escape sequences (ECMA-48, SGR) on a terminal that supports them,
/// otherwise nothing.
package struct Style: Hashable, Sendable {
  package enum Emphasis: String, Hashable, Sendable {
    case bold = "1"
  }

  package let isOn: Bool

  /// Chooses the style for one stream, by the convention of no-color.org.
  ///
  /// `environment` looks up a variable.
  package init(isTerminal: Bool, noColorOption: Bool, environment: (String) -> String?) {
    let terminal = environment("TERM") ?? ""
    isOn =
      isTerminal && !noColorOption && (environment("NO_COLOR") ?? "").isEmpty && !terminal.isEmpty && terminal != "dumb"
  }

  /// Whether colour may be used.
  package var allowsColor: Bool { isOn }

  private init(isOn: Bool) {
    self.isOn = isOn
  }

  /// No emphasis.
  package static let plain = Style(isOn: false)

  /// Returns `text` with emphasis, or unchanged if the style is off; empty text stays empty.
  package func callAsFunction(_ text: String, _ emphasis: Emphasis) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
  }
}
