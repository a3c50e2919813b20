import Guards
import Synchronization
import Testing

/// Something to wait for in a test: a door that is opened once.
private struct Door: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  }

  func open() { continuation.finish() }
  func pass() async { for await _ in stream {} }
}

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

private actor Loader: RunsOnce {
  private(set) var loads = 0
  func load() async -> RunOnce.Outcome {
    await runOnce {
      await Task.yield()
      self.loads += 1
    }
  }
}

extension RunOnceSuites {
  @Suite("callers that wait")
  struct RunOnceWaitingTests {
    private let object = Visited()

    private func work(until door: Door) async -> RunOnce.Outcome {
      await object.runOnce(key: "work") {
        object.runs.add(1, ordering: .relaxed)
        await door.pass()
        if Task.isCancelled { object.runs.add(100, ordering: .relaxed) }
        object.ends.add(1, ordering: .relaxed)
      }
    }

    @Test("who finds the body running returns after its end") func losersWait() async {
      let door = Door()
      let winner = Task.immediate { await work(until: door) }
      let losers = (0..<3).map { _ in Task.immediate { (await work(until: door), object.ends.load(ordering: .relaxed)) }
      }
      #expect(object.runs.load(ordering: .relaxed) == 1)
      door.open()
      #expect(await winner.value == .ran)
      for loser in losers { #expect(await loser.value == (.alreadyRan, 1)) }
      #expect(await work(until: door) == .alreadyRan)
    }

    @Test("a cancelled waiter leaves at once, and the work is not cancelled") func cancelledWaiter() async {
      let door = Door()
      let winner = Task.immediate { await work(until: door) }
      let queued = Task.immediate { await work(until: door) }
      queued.cancel()
      #expect(await queued.value == .stillRunning)
      let early = Task.immediate {
        withUnsafeCurrentTask { $0?.cancel() }
        return await work(until: door)
      }
      #expect(await early.value == .stillRunning)
      door.open()
      #expect(await winner.value == .ran)
      #expect(object.runs.load(ordering: .relaxed) == 1)
    }

    @Test("a cancelled winner leaves at once, and those who wait get the whole work") func cancelledWinner() async {
      let door = Door()
      let winner = Task.immediate { await work(until: door) }
      let loser = Task.immediate { await work(until: door) }
      winner.cancel()
      #expect(await winner.value == .stillRunning)
      door.open()
      #expect(await loser.value == .alreadyRan)
      #expect(object.runs.load(ordering: .relaxed) == 1)
      #expect(object.ends.load(ordering: .relaxed) == 1)
    }

    @Test("an error goes to the caller that brought the body; the others hear that it ran") func throwing() async {
      let door = Door()
      func fail() async throws(Refusal) -> RunOnce.Outcome {
        try await object.runOnce(key: "fail") { () async throws(Refusal) in
          await door.pass()
          throw Refusal()
        }
      }
      let winner = Task.immediate { try await fail() }
      let loser = Task.immediate { try await fail() }
      door.open()
      await #expect(throws: Refusal()) { try await winner.value }
      #expect((try? await loser.value) == .alreadyRan)
    }

    @Test("until success, one of those who wait tries next") func untilSuccess() async {
      let door = Door()
      func attempt() async throws(Refusal) -> RunOnce.Outcome {
        try await object.runOnceUntilSuccess(key: "attempt") { () async throws(Refusal) in
          await door.pass()
          if object.runs.add(1, ordering: .relaxed).newValue < 3 { throw Refusal() }
        }
      }
      let callers = (0..<5).map { _ in Task.immediate { try? await attempt() } }
      door.open()
      var outcomes: [RunOnce.Outcome?] = []
      for caller in callers { outcomes.append(await caller.value) }
      #expect(outcomes.count { $0 == nil } == 2)
      #expect(outcomes.count { $0 == .ran } == 1)
      #expect(outcomes.count { $0 == .alreadyRan } == 2)
      #expect(object.runs.load(ordering: .relaxed) == 3)
    }

    @Test("a call from inside the body, or from a task it made, does not wait for itself") func recursion() async {
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

    @Test("the forms share one memory: plain skips what asynchronous runs, asynchronous waits for what plain runs")
    func mixed() async {
      let door = Door()
      let winner = Task.immediate { await work(until: door) }
      #expect(plain { Issue.record("ran twice") } == .stillRunning)
      door.open()
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

    @Test("the body belongs to the actor that it was written on") func isolation() async {
      let screen = MainScreen()
      #expect(await screen.appear() == .ran)
      #expect(await screen.appear() == .alreadyRan)
      #expect(await screen.views == 1)
      let loader = Loader()
      #expect(await loader.load() == .ran)
      #expect(await loader.load() == .alreadyRan)
      #expect(await loader.loads == 1)
    }
  }
}
