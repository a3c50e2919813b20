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
      let closed = Diary()
      do {
        let connection = SecureConnection(closed)
        #expect(connection.close() == .ran)
      }
      #expect(closed.all == [.alreadyRan, .alreadyRan])

      let open = Diary()
      do { _ = SecureConnection(open) }
      #expect(open.all == [.tooLate, .tooLate])

      let known = Diary()
      do { SecureConnection(known).runOnce(key: "something else") {} }
      #expect(known.all == [.tooLate, .tooLate])
      #expect([closed, open, known].map { $0.runs.load(ordering: .relaxed) } == [1, 0, 0])
    }

    @Test("a body whose record is removed during the deinit does not run again") func sweptInDeinit() {
      let diary = Diary()
      do { BusyConnection(diary).close() }
      #expect(diary.all == [.tooLate, .tooLate])
      #expect(diary.runs.load(ordering: .relaxed) == 1)
    }

    @Test("in deinit no body runs and no call traps, while two threads sweep records")
    func deinitUnderLoad() {
      let closed = Locked<[Diary]>([])
      let open = Locked<[Diary]>([])
      TwoThreads.both { _ in
        for round in 0..<5_000 {
          let diary = Diary()
          let connection = SecureConnection(diary)
          if round % 2 == 0 {
            connection.close()
            closed.withLock { $0.append(diary) }
          } else {
            open.withLock { $0.append(diary) }
          }
        }
      }
      // Check only now: a sweep retains objects for a moment, so a `deinit` can run on the other
      // thread.
      for diary in closed.withLock({ $0 }) {
        #expect(diary.all.count == 2 && Set(diary.all).isSubset(of: [.alreadyRan, .tooLate]))
        #expect(diary.runs.load(ordering: .relaxed) == 1)
      }
      for diary in open.withLock({ $0 }) {
        #expect(diary.all == [.tooLate, .tooLate])
        #expect(diary.runs.load(ordering: .relaxed) == 0)
      }
    }

    @Test("100,000 short-lived objects each run once, and leave at most half as many records as living objects")
    func manyObjects() {
      let living = (0..<1_000).map { _ in Visited() }
      for object in living { object.visit() }
      var ran = 0
      var addresses: Set<ObjectIdentifier> = []
      for _ in 0..<100_000 {
        let object = Visited()
        if object.visit() == .ran { ran += 1 }
        addresses.insert(ObjectIdentifier(object))
      }
      #expect(ran == 100_000)
      #expect(addresses.count < 50_000, "few addresses were used twice, so reuse was not tried")
      #expect(living.allSatisfy { $0.visit() == .alreadyRan })
      #expect(RunOnce.recordCount <= living.count + living.count / 2 + 8)
    }

    @Test("objects that come and go leave few records, even beside few living objects", arguments: [0, 1, 10, 100])
    func fewRecords(living count: Int) {
      // Removes the records of other tests.
      for _ in 0..<2_000 { Visited().visit() }
      let before = RunOnce.recordCount
      let living = (0..<count).map { _ in Visited() }
      for object in living { object.visit() }
      var most = 0
      for _ in 0..<2_000 {
        Visited().visit()
        most = max(most, RunOnce.recordCount - before)
      }
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
