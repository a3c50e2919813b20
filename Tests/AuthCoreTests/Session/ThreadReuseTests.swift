import Dispatch
import Guards
import Testing

@testable import AuthCore

@Suite struct ThreadReuseTests {
  @Test("a task that suspends often uses few threads, and one that blocks does not stop it")
  func reuse() async {
    let done = Promise<Set<String>>()
    let blocked = Promise<Void>()
    let gate = DispatchSemaphore(value: 0)
    @Sendable func block() { gate.wait() }
    WorkPlace.separateThreads.start {
      blocked.fulfil(())
      block()
    }
    await blocked.valueUncancelled()
    WorkPlace.separateThreads.start {
      var threads: Set<String> = []
      for _ in 0..<1000 {
        await Task.yield()
        threads.insert(currentThread())
      }
      done.fulfil(threads)
    }
    let threads = await done.valueUncancelled()
    gate.signal()
    #expect((1..<100).contains(threads.count))
  }
}
