/// The sequence of ``SessionStore/transitions``.
package struct SessionTransitions: AsyncSequence, Sendable {
  let core: SessionCore
  let bound: Int

  /// Subscribes; from here on the iterator gets every change.
  package func makeAsyncIterator() -> Iterator {
    let (changes, continuation) = AsyncStream.makeStream(
      of: SessionChange.self, bufferingPolicy: .bufferingNewest(Swift.max(1, bound)))
    let observer = Observer { news in
      switch news {
      case .change(let change): continuation.yield(change)
      case .end: continuation.finish()
      case .nothing: break
      }
      return true
    }
    continuation.onTermination = { [weak observer] _ in observer?.finish() }
    return Iterator(changes: changes.makeAsyncIterator(), expected: core.start(observer))
  }

  /// Returns the changes in order.
  package struct Iterator: AsyncIteratorProtocol {
    var changes: AsyncStream<SessionChange>.Iterator
    /// The number of the next change, unless the subscriber misses it.
    var expected: UInt64

    /// The next change, or nil at the end.
    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> SessionChange? {
      guard var change = await changes.next(isolation: actor) else { return nil }
      change.missed = Int(change.revision - expected)
      expected = change.revision + 1
      return change
    }
  }
}
