import Glibc

/// Bytes that may be secret: their memory never moves, and is wiped before it is freed.
package final class WipedBytes {
  private let storage: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Reserves memory for the maximum number of bytes, so that they never move.
  package init(capacity: Int) { storage = .allocate(byteCount: max(1, capacity), alignment: 1) }

  deinit {
    wipe()
    storage.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// The number of bytes that can be added.
  package var room: Int { storage.count - count }

  /// The bytes, valid until they change.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  /// Adds a byte; returns false if it does not fit.
  @discardableResult
  package func append(_ byte: UInt8) -> Bool {
    guard room > 0 else { return false }
    storage[count] = byte
    count += 1
    return true
  }

  /// Adds all of the bytes; adds none and returns false if they do not fit.
  package func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard more.count <= room else { return false }
    for byte in more { append(byte) }
    return true
  }

  @discardableResult
  package func removeLast() -> UInt8? {
    guard count > 0 else { return nil }
    count -= 1
    defer { storage[count] = 0 }
    return storage[count]
  }

  /// Removes all bytes from memory.
  package func wipe() {
    if let start = storage.baseAddress { explicit_bzero(start, storage.count) }
    count = 0
  }
}
