/// Who may create accounts.
public enum Registration: String, Hashable, Sendable, CaseIterable {
  /// Everybody.
  case open
  /// Administrators only.
  case closed
}
