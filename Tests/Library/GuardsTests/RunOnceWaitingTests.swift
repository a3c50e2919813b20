import ConcurrencyKit
import Guards
import Synchronization
import Testing

@MainActor
private final class MainScreen: RunsOnce {
  var views = 0
  func appear() async -> RunOnce.Outcome {
    await runOnce {
      await Task.yield()
      self.views += 1
    }
  }
}

extension RunOnceSuites {
  @Suite("waiting callers")
  struct RunOnceWaitingTests {
    private let object = Visited()

    private func work(until door: Promise<Void>) async -> RunOnce.Outcome {
      await object.runOnce(key: "work") {
        object.runs.add(1, ordering: .relaxed)
        await door.valueUncancelled()
        if Task.isCancelled { object.runs.add(100, ordering: .relaxed) }
        object.ends.add(1, ordering: .relaxed)
      }
    }

    @Test("a caller during a running body returns after its end") func losersWait() async {
      let door = Promise<Void>()
      let winner = Task.immediate { await work(until: door) }
      let losers = (0..<3).map { _ in Task.immediate { (await work(until: door), object.ends.load(ordering: .relaxed)) }
      }
      #expect(object.runs.load(ordering: .relaxed) == 1)
      door.fulfil(())
      #expect(await winner.value == .ran)
      for loser in losers { #expect(await loser.value == (.alreadyRan, 1)) }
      #expect(await work(until: door) == .alreadyRan)
    }

    @Test("a cancelled caller returns immediately, and the body is not cancelled and ends for the others")
    func cancelled() async {
      let door = Promise<Void>()
      let winner = Task.immediate { await work(until: door) }
      let queued = (0..<2).map { _ in Task.immediate { await work(until: door) } }
      let early = Task.immediate {
        withUnsafeCurrentTask { $0?.cancel() }
        return await work(until: door)
      }
      for caller in [winner, queued[0]] { caller.cancel() }
      for caller in [winner, queued[0], early] { #expect(await caller.value == .stillRunning) }
      door.fulfil(())
      #expect(await queued[1].value == .alreadyRan)
      #expect(object.runs.load(ordering: .relaxed) == 1 && object.ends.load(ordering: .relaxed) == 1)
    }

    @Test(
      "an error goes to the caller that started the body; until success, one of the waiting callers runs it next",
      arguments: [(untilSuccess: false, failures: 1, ran: 0), (untilSuccess: true, failures: 2, ran: 1)])
    func throwing(untilSuccess: Bool, failures: Int, ran: Int) async {
      let door = Promise<Void>()
      func attempt() async throws(Refusal) -> RunOnce.Outcome {
        try await object.runOnce(key: "attempt", untilSuccess: untilSuccess) { () async throws(Refusal) in
          await door.valueUncancelled()
          if object.runs.add(1, ordering: .relaxed).newValue <= failures { throw Refusal() }
        }
      }
      let callers = (0..<5).map { _ in Task.immediate { try? await attempt() } }
      door.fulfil(())
      var outcomes: [RunOnce.Outcome?] = []
      for caller in callers { outcomes.append(await caller.value) }
      #expect(outcomes[0] == nil && outcomes.count { $0 == nil } == failures)
      #expect(outcomes.count { $0 == .ran } == ran)
      #expect(outcomes.count { $0 == .alreadyRan } == 5 - failures - ran)
      #expect(object.runs.load(ordering: .relaxed) == failures + ran)
    }

    @Test("a call from inside the body, or from a task that it created, skips") func recursion() async {
      let object = object
      let diary = Diary()
      @Sendable func visit() async -> RunOnce.Outcome { await object.runOnce(key: "recursive") { await body() } }
      @Sendable func body() async {
        diary.write(await visit())
        async let child = visit()
        diary.write(await child)
        diary.write(await Task { await visit() }.value)
        diary.write(await object.runOnce(key: "other") { await Task.yield() })
      }
      #expect(await visit() == .ran)
      #expect(diary.all == [.stillRunning, .stillRunning, .stillRunning, .ran])
    }

    @Test("a synchronous call skips an asynchronous body, and an asynchronous call waits for a synchronous one")
    func mixed() async {
      let door = Promise<Void>()
      let winner = Task.immediate { await work(until: door) }
      #expect(plain { Issue.record("ran twice") } == .stillRunning)
      door.fulfil(())
      #expect(await winner.value == .ran)
      #expect(plain { Issue.record("ran twice") } == .alreadyRan)

      let other = Visited()
      let waiter = Locked<Task<RunOnce.Outcome, Never>?>(nil)
      let outcome = plain(on: other) {
        waiter.withLock {
          $0 = Task.immediate { await other.runOnce(key: "work") { () async in Issue.record("ran twice") } }
        }
      }
      #expect(outcome == .ran)
      #expect(await waiter.withLock { $0 }?.value == .alreadyRan)
    }

    private func plain(on other: Visited? = nil, _ body: () -> Void) -> RunOnce.Outcome {
      (other ?? object).runOnce(key: "work", body)
    }

    @Test("the body runs on the actor of its closure") func isolation() async {
      let screen = MainScreen()
      #expect(await screen.appear() == .ran)
      #expect(await screen.appear() == .alreadyRan)
      #expect(await screen.views == 1)
    }
  }
}
