import Testing

@testable import AuthService

@Suite("The queue of requests")
struct FairQueueTests {
  private func queue(places: Int = 8, ofUser: Int = 4, running: Int = 1) -> FairQueue<String> {
    FairQueue(.init(places: places, placesOfUser: ofUser, placesOfName: 2, runningOfUser: running))
  }

  private func next(_ queue: inout FairQueue<String>) -> String? { queue.next()?.job }

  private func append(
    _ job: String, _ user: UInt32, _ queue: inout FairQueue<String>, name: String? = nil
  ) -> Bool {
    queue.append(job, of: Caller(user: user, name: name))
  }

  @Test("users take turns, however many requests one of them has")
  func turns() {
    var queue = queue(running: 8)
    for job in ["a1", "a2", "a3"] { #expect(append(job, 1, &queue)) }
    for job in ["b1", "b2"] { #expect(append(job, 2, &queue)) }
    var order: [String] = []
    while let next = queue.next() { order.append(next.job) }
    #expect(order == ["a1", "b1", "a2", "b2", "a3"])
  }

  @Test("a user who has all the threads that one user may have waits, and another does not")
  func running() {
    var queue = queue(running: 1)
    for job in ["a1", "a2"] { #expect(append(job, 1, &queue)) }
    #expect(queue.canRun)
    #expect(next(&queue) == "a1")
    #expect(!queue.canRun && next(&queue) == nil)
    #expect(append("b1", 2, &queue))
    #expect(queue.canRun)
    #expect(next(&queue) == "b1")
    queue.finished(1)
    #expect(queue.canRun)
    #expect(next(&queue) == "a2")
  }

  @Test("there are places for other users when one has taken all that one may have")
  func places() {
    var queue = queue(places: 6, ofUser: 4)
    for _ in 0..<4 { #expect(append("a", 1, &queue)) }
    #expect(!append("a", 1, &queue))
    for _ in 0..<2 { #expect(append("b", 2, &queue)) }
    #expect(!append("c", 3, &queue))
    #expect(queue.count == 6)
    _ = queue.next()
    #expect(append("c", 3, &queue))
  }

  @Test("the names of a user take turns within those of the user, and none has all of its places")
  func names() {
    var queue = queue(running: 8)
    for job in ["a1", "a2"] { #expect(append(job, 1, &queue, name: "a")) }
    #expect(!append("a3", 1, &queue, name: "a"))
    for job in ["b1", "b2"] { #expect(append(job, 1, &queue, name: "b")) }
    #expect(!append("c1", 1, &queue, name: "c"))
    for job in ["x1", "x2"] { #expect(append(job, 2, &queue)) }
    var order: [String] = []
    while let next = queue.next() { order.append(next.job) }
    #expect(order == ["a1", "x1", "b1", "x2", "a2", "b2"])
  }

  @Test("what waits is taken out when the service stops, and what runs is still counted")
  func close() {
    var queue = queue()
    for job in ["a1", "a2"] { #expect(append(job, 1, &queue)) }
    _ = queue.next()
    let left = queue.removeAll()
    #expect(left == ["a2"])
    #expect(queue.count == 0 && queue.running == 1)
    queue.finished(1)
    #expect(queue.running == 0 && next(&queue) == nil)
  }
}
