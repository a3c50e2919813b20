import Testing

@testable import AuthServer
@testable import AuthService

@Suite("The queue of requests", .timeLimit(.minutes(10)))
struct FairQueueTests {
  private var queue = FairQueue<String>(.init(all: 12, ofUser: 8), runningOfUser: 8)

  /// The jobs that run before one is finished, in their order.
  private mutating func started() -> [String] {
    var order: [String] = []
    while let next = queue.next() { order.append(next.job) }
    return order
  }

  /// - Returns: The jobs that found a place.
  @discardableResult
  private mutating func append(_ jobs: String..., user: UInt32, name: String? = nil) -> [String] {
    jobs.filter { queue.append($0, of: Caller(user: user, name: name)) == nil }
  }

  @Test("users take turns, however many requests one of them has")
  mutating func turns() {
    append("a1", "a2", "a3", user: 1)
    append("b1", "b2", user: 2)
    #expect(started() == ["a1", "b1", "a2", "b2", "a3"])
  }

  @Test("a user who has all the threads that one user may have waits, and another does not")
  mutating func running() {
    queue = FairQueue(.init(all: 12, ofUser: 8), runningOfUser: 1)
    append("a1", "a2", user: 1)
    #expect(queue.canRun)
    #expect(started() == ["a1"])
    #expect(!queue.canRun)
    append("b1", user: 2)
    #expect(queue.canRun)
    #expect(started() == ["b1"])
    queue.finished(1)
    #expect(queue.canRun)
    #expect(started() == ["a2"])
  }

  @Test("users divide the threads that they may have together, and each has at least one")
  mutating func together() {
    queue = FairQueue(.init(all: 20, ofUser: 8), runningOfUser: 4, runningTogether: 4)
    append("a1", "a2", "a3", "a4", "a5", user: 1)
    #expect(started() == ["a1", "a2", "a3", "a4"])
    append("b1", "b2", "b3", user: 2)
    append("c1", "c2", user: 3)
    #expect(started() == ["b1", "c1"])
    queue.finished(2)
    #expect(started() == ["b2"])
    append("d1", user: 4)
    append("e1", user: 5)
    append("f1", user: 6)
    #expect(started() == ["d1", "e1", "f1"])
    #expect(!queue.canRun)
    for user in 3...6 as ClosedRange<UInt32> { queue.finished(user) }
    #expect(started() == ["c2"])
    queue.finished(3)
    #expect(started() == ["b3"])
  }

  @Test("when all places are taken, whoever has the most gives one to a user with fewer")
  mutating func places() {
    queue = FairQueue(.init(all: 6, ofUser: 4), runningOfUser: 8)
    #expect(append("a1", "a2", "a3", "a4", "a5", user: 1).count == 4)
    #expect(append("b1", "b2", user: 2).count == 2)
    // Each has the same after this, and gives nothing away any more.
    #expect(queue.append("c1", of: Caller(user: 3)) == "a4")
    #expect(queue.append("c2", of: Caller(user: 3)) == "a3")
    #expect(queue.append("c3", of: Caller(user: 3)) == "c3")
    #expect(queue.append("b3", of: Caller(user: 2)) == "b3")
    #expect(queue.count == 6)
    _ = queue.next()
    #expect(append("d1", user: 4) == ["d1"])
  }

  @Test("the names of a user take turns within those of the user, and none has all of its places")
  mutating func names() {
    #expect(append("a1", "a2", "a3", user: 1, name: "a") == ["a1", "a2"])
    append("b1", "b2", user: 1, name: "b")
    append("x1", "x2", "x3", "x4", user: 1)
    #expect(queue.append("c1", of: Caller(user: 1, name: "c")) == "x4")
    append("y1", "y2", user: 2)
    #expect(started() == ["a1", "y1", "b1", "y2", "x1", "c1", "a2", "b2", "x2", "x3"])
  }

  @Test("what waits is taken out when the service stops, and what runs is still counted")
  mutating func close() {
    append("a1", "a2", user: 1)
    _ = queue.next()
    #expect(queue.removeAll() == ["a2"])
    #expect(queue.count == 0 && queue.runningCount == 1)
    queue.finished(1)
    #expect(queue.runningCount == 0 && started().isEmpty)
  }
}
