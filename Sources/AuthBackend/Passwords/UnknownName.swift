/// Attempts on names without an account are counted like others, so that the answers do not differ.
///
/// They are kept as hashes, because people type passwords in place of names. At most ``limit`` are
/// kept, and the oldest are deleted first, so a flood of invented names does not fill the disk.
package enum UnknownName {
  package static let limit: Int64 = 10_000

  /// One value for all spellings of a name.
  package static func hash(of typed: String) -> [UInt8] {
    let name = (try? Username(typed))?.canonical ?? typed
    return SHA256.hash(Array(name.utf8))
  }
}
