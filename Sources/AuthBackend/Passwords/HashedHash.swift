import TextFormat

/// What a database with functions of its own stored in place of a hash: the setting that the
/// password is hashed with, and the SHA-256 of the hash.
///
/// It is stored as `sha256:DIGEST:SETTING`, and the next login replaces it by a hash.
package struct HashedHash: Hashable, Sendable {
  package let setting: String
  package let digest: [UInt8]

  package init(setting: String, digest: [UInt8]) {
    self.setting = setting
    self.digest = digest
  }

  /// Reads the stored form; nil for a hash.
  package init?(_ stored: String) {
    let parts = stored.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "sha256", let digest = Hex.bytes(Array(parts[1].utf8)) else { return nil }
    self.init(setting: String(parts[2]), digest: digest)
  }

  package var stored: String { "sha256:\(Hex.text(digest)):\(setting)" }
}
