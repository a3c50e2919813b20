import ConcurrencyKit
import Guards
import Races
import Synchronization
import Testing

private class Connection: RunsOnce {
  let diary: Diary
  init(_ diary: Diary) { self.diary = diary }

  @discardableResult
  func close() -> RunOnce.Outcome { runOnce { diary.runs.add(1, ordering: .relaxed) } }

  deinit { diary.write(close()) }
}

private final class SecureConnection: Connection {
  deinit { diary.write(close()) }
}

/// Makes many other objects run a body before it runs its own.
private final class BusyConnection: Connection {
  deinit {
    for _ in 0..<2_000 { Visited().visit() }
    diary.write(close())
  }
}

/// A key that uses `RunOnce` when it dies.
private final class LateKey: Hashable, Sendable {
  let object = Visited()
  static func == (one: LateKey, other: LateKey) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  deinit { object.visit() }
}

extension RunOnceSuites {
  @Suite("the lifetime of the object")
  struct RunOnceLifetimeTests {
    @Test("in deinit a body that ran is known as such, and one that did not run never runs") func inDeinit() {
      let uses: [(use: (Connection) -> Void, answer: RunOnce.Outcome, runs: Int)] = [
        ({ $0.close() }, .alreadyRan, 1), ({ _ in }, .tooLate, 0),
        ({ $0.runOnce(key: "something else") {} }, .tooLate, 0),
      ]
      for (use, answer, runs) in uses {
        let diary = Diary()
        do { use(SecureConnection(diary)) }
        #expect(diary.all == [answer, answer])
        #expect(diary.runs.load(ordering: .relaxed) == runs)
      }
    }

    @Test("a body whose record is removed during the deinit does not run again") func sweptInDeinit() {
      let diary = Diary()
      do { BusyConnection(diary).close() }
      #expect(diary.all == [.tooLate, .tooLate])
      #expect(diary.runs.load(ordering: .relaxed) == 1)
    }

    @Test("in deinit no body runs and no call traps, while two threads sweep records")
    func deinitUnderLoad() {
      let diaries = Locked<[(diary: Diary, isClosed: Bool)]>([])
      TwoThreads.both { _ in
        for round in 0..<5_000 {
          let diary = Diary()
          let connection = SecureConnection(diary)
          if round % 2 == 0 { connection.close() }
          diaries.withLock { $0.append((diary, round % 2 == 0)) }
        }
      }
      // Check only now: a sweep retains objects for a moment, so a `deinit` can run on the other
      // thread.
      for (diary, isClosed) in diaries.withLock({ $0 }) {
        #expect(diary.all.count == 2 && Set(diary.all).isSubset(of: isClosed ? [.alreadyRan, .tooLate] : [.tooLate]))
        #expect(diary.runs.load(ordering: .relaxed) == (isClosed ? 1 : 0))
      }
    }

    @Test(
      "objects that come and go each run once, and leave at most half as many records as living objects",
      arguments: [(living: 0, dead: 2_000), (1, 2_000), (10, 2_000), (100, 2_000), (1_000, 100_000)])
    func fewRecords(living count: Int, dead: Int) {
      // Removes the records of other tests.
      for _ in 0..<2_000 { Visited().visit() }
      let before = RunOnce.recordCount
      let living = (0..<count).map { _ in Visited() }
      for object in living { object.visit() }
      var (ran, most) = (0, 0)
      var addresses: Set<ObjectIdentifier> = []
      for _ in 0..<dead {
        let object = Visited()
        if object.visit() == .ran { ran += 1 }
        addresses.insert(ObjectIdentifier(object))
        most = max(most, RunOnce.recordCount - before)
      }
      #expect(ran == dead)
      #expect(addresses.count < dead / 2, "few addresses were used twice, so reuse was not tried")
      #expect(most <= count + count / 2 + 8)
      #expect(living.allSatisfy { $0.visit() == .alreadyRan })
    }

    @Test("after many objects died simultaneously, a few new ones remove all records") func massDeath() {
      do {
        let crowd = (0..<20_000).map { _ in Visited() }
        for object in crowd { object.visit() }
        #expect(RunOnce.recordCount >= crowd.count)
      }
      for _ in 0..<2_000 { Visited().visit() }
      #expect(RunOnce.recordCount < 500)
    }

    @Test("a dead object keeps its record while a body runs, and loses it after the end")
    func diesWhileRunning() async {
      for _ in 0..<2_000 { Visited().visit() }
      let before = RunOnce.recordCount
      let count = 100
      let door = Promise<Void>()
      let ended = Diary()
      for _ in 0..<count { await abandon(until: door, ended) }
      for _ in 0..<2_000 { Visited().visit() }
      #expect(RunOnce.recordCount >= before + count)
      door.fulfil(())
      for _ in 0..<100_000
      where RunOnce.recordCount > before + count / 2 || ended.runs.load(ordering: .relaxed) < count {
        Visited().visit()
        await Task.yield()
      }
      #expect(ended.runs.load(ordering: .relaxed) == count)
      #expect(RunOnce.recordCount <= before + count / 2)
    }

    /// Begins a body on an object that has no owner after this.
    private func abandon(until door: Promise<Void>, _ ended: Diary) async {
      let object = Visited()
      let outcome = await Task.immediate {
        withUnsafeCurrentTask { $0?.cancel() }
        return await RunOnce.run(on: object, key: "work") {
          await door.valueUncancelled()
          ended.runs.add(1, ordering: .relaxed)
        }
      }.value
      #expect(outcome == .stillRunning)
    }

    @Test("a key is released with no lock held, so its deinit can use RunOnce") func keyWithDeinit() {
      for _ in 0..<2_000 { RunOnce.run(on: Visited(), key: LateKey()) {} }
    }
  }
}
