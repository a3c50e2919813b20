import TextFormat

/// What a database with functions of its own stored in place of a hash: the setting that the
/// password is hashed with, and the SHA-256 of the hash.
///
/// It is stored as `sha256:DIGEST:SETTING`, and the next login replaces it by a hash.
struct HashedHash: Hashable, Sendable {
  let setting: String
  let digest: [UInt8]

  /// Reads the stored form; nil for a hash.
  init?(_ stored: String) {
    let parts = stored.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "sha256", let digest = Hex.bytes(Array(parts[1].utf8)) else { return nil }
    self.setting = String(parts[2])
    self.digest = digest
  }
}
