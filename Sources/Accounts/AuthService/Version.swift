// `make version` writes this file, from the newest heading in CHANGELOG.md.

import CVersion

/// The version of the programs.
package enum Release {
  /// Such as `1.2.3`; before a release `1.2.3-dev`, in a release build with its commit:
  /// `1.2.3-dev+abc1234`.
  package static let version = "1.0.0-dev" + String(cString: auth_commit())
  /// As manual pages write it.
  package static let date = "unreleased"
}
