import ConcurrencyKit
import Guards
import PublishedForms
import Testing

/// Stores a passage in a property, like an object whose work outlives a call.
final class Holder {
  var passage: Passage?
  init(_ passage: consuming Passage?) { self.passage = passage }
  var isInside: Bool { passage != nil }
}

@Suite("Passage: only its holder ends an owned passage", .timeLimit(.minutes(10)))
struct PassageTests {

  @Test("withPassage opens the gate when the body throws, with the body's own error type") func throwing() {
    let gate = Gatekeeper<Set<String>>()
    func visit() throws(Refusal) { _ = try gate.withPassage(for: "a") { () throws(Refusal) in throw Refusal() } }
    #expect(throws: Refusal()) { try visit() }
    #expect(gate.mayPass(for: "a"))
  }

  @Test("withPassage opens the gate after return, throw and cancellation of an asynchronous body")
  func asynchronous() async {
    let gate = Gatekeeper()
    let states = Gatekeeper<LoadState>()
    #expect(
      await gate.withPassage {
        await Task.yield(); return 1
      } == .passed(1))
    #expect(gate.mayPass)
    await #expect(throws: Refusal.self) {
      _ = try await states.withPassage(for: .loading) { () async throws(Refusal) in
        await Task.yield()
        throw Refusal()
      }
    }
    #expect(states.mayPass(for: .loading))

    let door = Promise<Void>()
    let task = Task.immediate { await gate.withPassage { await door.value() == nil } }
    #expect(await gate.withPassage { await Task.yield() }.isRefused)
    task.cancel()
    #expect(await task.value == .passed(true))
    #expect(gate.mayPass)
  }

  @Test("in the published form a reset opens the gate under whoever is inside") func resetPublished() {
    let published = PublishedGatekeeper()
    #expect(published.attemptPassage())
    published.reset()
    #expect(published.attemptPassage())
  }

  @Test("a passage keeps its gate alive") func lifetime() {
    weak var gate: Gatekeeper<Bool>?
    let holder: Holder
    do {
      let strong = Gatekeeper()
      gate = strong
      holder = Holder(strong.acquire())
    }
    #expect(gate?.mayPass == false)
    holder.passage = nil
    #expect(gate == nil)
  }
}
