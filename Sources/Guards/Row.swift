/// A fixed number of values that cannot be copied, side by side in memory.
///
/// `InlineArray` is this without an allocation, but needs newer systems than the rest of the
/// library does.
// The pointer never changes, and all that it leads to is `Sendable`, which makes sharing it safe.
@usableFromInline
package struct Row<Element: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let first: UnsafeMutablePointer<Element>
  @usableFromInline let count: Int

  /// Makes `count` elements.
  @inlinable
  package init(count: Int, _ make: () -> Element) {
    first = .allocate(capacity: count)
    self.count = count
    for index in 0..<count { (first + index).initialize(to: make()) }
  }

  deinit {
    first.deinitialize(count: count).deallocate()
  }

  /// An element, lent.
  @inlinable
  package subscript(index: Int) -> Element {
    @inline(__always)
    _read {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside of the row")
      yield first[index]
    }
  }
}
