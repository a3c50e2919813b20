import Glibc

/// Bytes that may be secret: they stay at one place in memory, which is wiped before it is
/// freed.
package final class WipedBytes {
  private let storage: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Reserves memory for all the bytes that there can be, so that they never move.
  package init(capacity: Int) {
    storage = .allocate(byteCount: max(1, capacity), alignment: 1)
  }

  deinit {
    wipe()
    storage.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// How many bytes can be added.
  package var room: Int { storage.count - count }

  /// The bytes, valid until they change.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

  /// A copy as a string, for text that is no secret.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Adds a byte; false where there is no room for it.
  @discardableResult
  package func append(_ byte: UInt8) -> Bool {
    guard room > 0 else { return false }
    storage[count] = byte
    count += 1
    return true
  }

  /// Adds all of the bytes, or none where there is no room for all.
  package func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard more.count <= room else { return false }
    for byte in more { append(byte) }
    return true
  }

  /// Removes the last byte, and returns it.
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

  /// Whether all of it is UTF-8; checked in place, without a copy.
  var isText: Bool {
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}
