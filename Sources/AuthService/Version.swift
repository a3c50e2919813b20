// `make version` writes this file, from the newest release in CHANGELOG.md.

/// The release of the programs.
package enum Release {
  package static let version = "1.0.0"
  /// As manual pages write it.
  package static let date = "November 26, 2026"
}
