/// The cost of a password hash: the count of yescrypt in crypt(5).
///
/// From 3 on the memory is N × r × 128 bytes with r = 32 and N = 2^(count + 7); below, r is 8 and
/// N = 2^(count + 9). 7 gives N = 16384: 64 MiB, 0.16 s where this was measured. A hash
/// begins with `$y$jBT$`: B encodes N, T encodes r.
/// Source: crypt(5), yescrypt; OWASP Password Storage Cheat Sheet.
package struct PasswordCost: Hashable, Comparable, Sendable {
  package let count: UInt

  package init(count: UInt) {
    self.count = min(max(count, 1), 11)
  }

  /// Every cost, from the lowest.
  package static var all: [PasswordCost] { (1...11).map { PasswordCost(count: $0) } }

  /// 64 MiB.
  package static let standard = PasswordCost(count: 7)

  /// 1 MiB, for tests of everything but the cost.
  package static let least = PasswordCost(count: 1)

  /// The cost of a stored hash, or nil when it is of a form that this code does not make.
  package init?(of hash: String) {
    guard let cost = Self.all.first(where: { hash.hasPrefix($0.prefix) }) else { return nil }
    self = cost
  }

  package static func < (left: PasswordCost, right: PasswordCost) -> Bool { left.count < right.count }

  /// How a hash of this cost begins: the letters are the logarithm of N less one, and r less one,
  /// in crypt's base 64.
  package var prefix: String {
    let digits = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)
    let logarithm = count < 3 ? count + 9 : count + 7
    return "$y$j\(digits[Int(logarithm) - 1])\(count < 3 ? "5" : "T")$"
  }
}
