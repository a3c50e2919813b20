import AuthAccounts
import AuthCore
import CCrypt
import Glibc
import TextFormat

/// Hashes and verifies with the system's libcrypt, so that what is stored verifies with the
/// system's own `crypt` too.
struct PasswordHasher: Sendable {
  let cost: PasswordCost

  /// A new hash of `password` with a new salt.
  func hash(_ password: NormalizedPassword) throws(BackendError) -> String {
    var setting = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
    let salt = try Secrets.random(count: 16).map(CChar.init(bitPattern:))
    guard crypt_gensalt_rn("$y$", cost.count, salt, Int32(salt.count), &setting, Int32(setting.count)) != nil,
      let hash = Self.crypt(Array(password.text.utf8), setting)
    else { throw Self.failed }
    return String(decoding: hash, as: UTF8.self)
  }

  /// Whether `password` is the one that `stored` was made from.
  ///
  /// Nil, a password that cannot be one, costs the same and is never it.
  func verifies(_ password: NormalizedPassword?, against stored: String) throws(BackendError) -> Bool {
    let bytes = password.map { Array($0.text.utf8) } ?? []
    guard let hash = Self.crypt(bytes, stored.utf8.map(CChar.init(bitPattern:)) + [0]) else { throw Self.failed }
    return Secrets.areEqual(hash, Array(stored.utf8)) && password != nil
  }

  /// A hash that no password matches, at the cost of any other.
  var unmatchable: String { cost.prefix + "B2aBe/PVAC2BsV8ECXjQo/" }

  /// Whether a hash was made at a lower cost than is asked for now, or in another way.
  func isOutdated(_ stored: String) -> Bool {
    guard let made = PasswordCost(of: stored) else { return true }
    return made < cost
  }

  private static var failed: BackendError { .unavailable(.hashingFailed, ErrorNumber.current.explanation) }

  /// crypt_rn(3) with a work area that is wiped afterwards.
  ///
  /// Nil on failure; errno says why.
  private static func crypt(_ phrase: [UInt8], _ setting: [CChar]) -> [UInt8]? {
    let size = MemoryLayout<crypt_data>.size
    let area = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
    memset(area, 0, size)
    var terminated = phrase.map(CChar.init(bitPattern:)) + [0]
    defer {
      explicit_bzero(area, size)
      area.deallocate()
      explicit_bzero(&terminated, terminated.count)
    }
    guard let hash = crypt_rn(terminated, setting, area, Int32(size)) else { return nil }
    return Array(UnsafeRawBufferPointer(start: hash, count: strlen(hash)))
  }
}
