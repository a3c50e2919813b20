/// One body on one object: the object's address, and where the body stands or what it is called.
///
/// An address names one object as long as a record of it exists, because the record keeps the memory, see ``ObjectPin``.
@usableFromInline
struct Run: Hashable, Sendable {
  let address: UInt
  /// Line and column, or the hash of the key: together with the address, nearly always enough to tell two runs apart.
  let position: UInt64
  /// The address of the file's name, which is a literal and lasts; zero with a key.
  let file: UInt
  let key: RunKey?

  /// The body that stands at a place in the source.
  ///
  /// A function and not an initializer, which would retain the object.
  @usableFromInline
  static func placed(on object: AnyObject, _ fileID: StaticString, _ line: UInt, _ column: UInt) -> Run {
    Run(
      address: address(of: object),
      position: UInt64(truncatingIfNeeded: line) << 32 | UInt64(truncatingIfNeeded: column),
      // A literal of a single scalar may be stored as that scalar; its number is no address of a name, but as good as one.
      file: fileID.hasPointerRepresentation ? UInt(bitPattern: fileID.utf8Start) : UInt(fileID.unicodeScalar.value),
      key: nil)
  }

  /// The body that has a name.
  @usableFromInline
  static func keyed(on object: AnyObject, _ key: any Hashable & Sendable) -> Run {
    Run(address: address(of: object), position: UInt64(truncatingIfNeeded: key.hashValue), file: 0, key: RunKey(key))
  }

  private static func address(of object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  init(address: UInt, position: UInt64, file: UInt, key: RunKey?) {
    self.address = address
    self.position = position
    self.file = file
    self.key = key
  }

  /// Spreads the address over all bits.
  ///
  /// One multiplication by an odd constant (the golden ratio's) costs 1 ns where the
  /// standard library's hash costs 20.
  @inline(__always)
  var spreadAddress: UInt64 { UInt64(address) &* 0x9E37_79B9_7F4A_7C15 }

  /// Spreads the address and position over all bits; the second constant is a prime of xxHash.
  @inline(__always)
  var spread: UInt64 {
    let mixed = spreadAddress ^ (position &* 0xC2B2_AE3D_27D4_EB4F)
    return mixed ^ (mixed >> 32)
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(address)
    hasher.combine(position)
  }

  @usableFromInline
  static func == (one: Run, other: Run) -> Bool {
    one.address == other.address && one.position == other.position
      && (one.file == other.file || isSameText(one.file, other.file)) && isSameKey(one.key, other.key)
  }

  static func isSameKey(_ one: RunKey?, _ other: RunKey?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one == other
  }

  /// One place may have its file's name at several addresses, when it was inlined into other modules; then the text decides.
  @inline(never)
  static func isSameText(_ one: UInt, _ other: UInt) -> Bool {
    // The first page of memory is never mapped: what is below is a scalar or nothing, not an address.
    guard one >= 4096, other >= 4096,
      let one = UnsafePointer<CChar>(bitPattern: one), let other = UnsafePointer<CChar>(bitPattern: other)
    else { return false }
    return String(cString: one) == String(cString: other)
  }
}

/// An explicit key of any type.
///
/// Keys of different types are different.
final class RunKey: Sendable {
  private let value: any Hashable & Sendable

  init(_ value: any Hashable & Sendable) {
    self.value = value
  }

  static func == (one: RunKey, other: RunKey) -> Bool {
    func isEqual<One: Hashable, Other: Hashable>(_ one: One, _ other: Other) -> Bool {
      // The types are the same, so the bits are; a cast would say so too, at three times the price of all the rest.
      One.self == Other.self && one == unsafeBitCast(other, to: One.self)
    }
    return one === other || isEqual(one.value, other.value)
  }
}
