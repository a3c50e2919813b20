import Guards
import Races
import Testing

private class Connection: RunsOnce {
  let diary: Diary
  init(_ diary: Diary) { self.diary = diary }

  @discardableResult
  func close() -> RunOnce.Outcome { runOnce {} }

  deinit { diary.write(close()) }
}

private final class SecureConnection: Connection {
  deinit { diary.write(close()) }
}

/// A key that uses `RunOnce` when it dies.
private final class LateKey: Hashable, Sendable {
  let object = Visited()
  static func == (one: LateKey, other: LateKey) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  deinit { object.visit() }
}

extension RunOnceSuites {
  @Suite("the life of the object")
  struct RunOnceLifetimeTests {
    @Test("in deinit what ran is known, and what has not begun does not begin") func inDeinit() {
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
    }

    @Test("deinit never traps, not among thousands of deaths on two threads while records are swept")
    func deinitUnderLoad() {
      TwoThreads.both { _ in
        for round in 0..<5_000 {
          let diary = Diary()
          do {
            let connection = SecureConnection(diary)
            if round % 2 == 0 { connection.close() }
          }
          #expect(diary.all == (round % 2 == 0 ? [.alreadyRan, .alreadyRan] : [.tooLate, .tooLate]))
        }
      }
    }

    @Test("the object is not kept alive") func notKept() {
      weak var object: Visited?
      do {
        let strong = Visited()
        strong.visit()
        object = strong
      }
      #expect(object == nil)
    }

    @Test("a million short-lived objects run once each, and their records stay within half of the living")
    func manyObjects() {
      let living = (0..<1_000).map { _ in Visited() }
      for object in living { object.visit() }
      var ran = 0
      var addresses: Set<ObjectIdentifier> = []
      for _ in 0..<1_000_000 {
        let object = Visited()
        if object.visit() == .ran { ran += 1 }
        addresses.insert(ObjectIdentifier(object))
      }
      #expect(ran == 1_000_000)
      #expect(addresses.count < 500_000, "few addresses were used twice, so reuse was not tried")
      #expect(living.allSatisfy { $0.visit() == .alreadyRan })
      #expect(RunOnce.recordedObjects <= living.count + living.count / 2 + 8)
    }

    @Test(
      "objects that come and go beside the living leave few records, also where hardly any lives",
      arguments: [0, 1, 10, 100])
    func fewRecords(living count: Int) {
      // Gives back what other tests left.
      for _ in 0..<2_000 { Visited().visit() }
      let before = RunOnce.recordedObjects
      let living = (0..<count).map { _ in Visited() }
      for object in living { object.visit() }
      var most = 0
      for _ in 0..<2_000 {
        Visited().visit()
        most = max(most, RunOnce.recordedObjects - before)
      }
      #expect(most <= count + count / 2 + 8)
      #expect(living.allSatisfy { $0.visit() == .alreadyRan })
    }

    @Test("after many died at once, a few newcomers are enough to give everything back") func massDeath() {
      do {
        let crowd = (0..<20_000).map { _ in Visited() }
        for object in crowd { object.visit() }
        #expect(RunOnce.recordedObjects >= crowd.count)
      }
      for _ in 0..<2_000 { Visited().visit() }
      #expect(RunOnce.recordedObjects < 500)
    }

    @Test("a key that uses RunOnce in its deinit does so with no lock held") func keyWithDeinit() {
      for _ in 0..<2_000 { RunOnce.run(on: Visited(), key: LateKey()) {} }
    }
  }
}
