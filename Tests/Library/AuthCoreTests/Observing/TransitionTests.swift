import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("The stream of transitions", .timeLimit(.minutes(10)))
struct TransitionTests: InWorld {
  let world = World()

  @Test("the current state comes first, then every change, with strictly increasing revisions")
  func lossless() async throws {
    let key = try await logInAlice()
    var iterator = store.transitions(bound: 256).makeAsyncIterator()
    for request in [Request.renew, .check] { try await request.send(store) }
    _ = try await store.logOutAnyone()
    let changes = await iterator.changes(to: store.revision)
    // The check shows no last known user: the user is already logged in.
    let snapshots: [SessionSnapshot] = [
      .loggedIn(key), .renewing(key), .loggedIn(key), .renewing(key), .loggedIn(key), .loggingOut(.userAsked),
      .loggedOut(.ended(.userAsked)),
    ]
    #expect(changes.map(\.snapshot) == snapshots)
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.revision + 1 == $1.revision })
    #expect(changes.allSatisfy { $0.missed == 0 })
  }

  @Test("a slow reader learns how many changes it missed, and continues with the newest")
  func gap() async throws {
    var iterator = store.transitions(bound: 4).makeAsyncIterator()
    for _ in 0..<50 {
      try await store.loggedIn(World.alice)
      _ = try await store.logOutAnyone()
    }
    let last = store.revision
    let changes = await iterator.changes(to: last)
    #expect(changes.count <= 4)
    let missed = changes.reduce(0) { $0 + $1.missed }
    #expect(UInt64(missed + changes.count) == last + 1)
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.revision < $1.revision })
  }

  @Test("a stream ends when its task is cancelled")
  func cancelled() async {
    let reader = Task { for await _ in store.transitions {} }
    await Task.yield()
    reader.cancel()
    await reader.value
  }

  @Test("releasing the store ends every stream after its last change")
  func storeGone() async throws {
    var store: SessionStore? = World().anotherProcess()
    let transitions = try #require(store?.transitions(bound: 256))
    var iterator = transitions.makeAsyncIterator()
    let waiting = Task { for await _ in transitions {} }
    let key = try await store?.loggedIn(World.alice)
    store = nil
    var seen: [SessionChange] = []
    while let change = await iterator.next() { seen.append(change) }
    #expect(seen.last?.snapshot.session == key)
    await waiting.value
    #expect(key?.endReason == .storeReleased)
    var late = transitions.makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}

extension SessionTransitions.Iterator {
  /// The changes up to a revision.
  mutating func changes(to revision: UInt64) async -> [SessionChange] {
    var changes: [SessionChange] = []
    while changes.last?.revision != revision, let change = await next(isolation: #isolation) { changes.append(change) }
    return changes
  }
}
