// `make version` writes this file, from the newest release in CHANGELOG.md.

extension AuthTool {
  static let version = "0.1.0"
  /// As manual pages write it.
  static let date = "November 21, 2026"
}
