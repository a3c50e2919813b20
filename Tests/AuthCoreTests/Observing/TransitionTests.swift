import AuthCoreTesting
import Testing

@testable import AuthCore

@Suite("The stream of transitions")
struct TransitionTests: InWorld {
  let world = World()

  private func kinds(_ changes: [SessionChange]) -> [String] {
    changes.map { change in
      switch change.snapshot {
      case .restoring: "restoring"
      case .loggedOut: "loggedOut"
      case .authenticating: "authenticating"
      case .challenged(_, let key): "challenged \(key?.user.username ?? "")"
      case .loggedIn(let key): "loggedIn \(key.user.username)"
      case .renewing(let key): "renewing \(key.user.username)"
      case .loggingOut: "loggingOut"
      }
    }
  }

  @Test("the current state comes first, then every change, with strictly increasing revisions")
  func lossless() async throws {
    try await logInAlice()
    var iterator = store.transitions(bound: 256).makeAsyncIterator()
    try await store.renew()
    _ = try await store.logOut()
    var changes: [SessionChange] = []
    while changes.last?.revision != store.revision, let change = await iterator.next() { changes.append(change) }
    #expect(kinds(changes) == ["loggedIn alice", "renewing alice", "loggedIn alice", "loggingOut", "loggedOut"])
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.revision + 1 == $1.revision })
    #expect(changes.allSatisfy { $0.missed == 0 })
  }

  @Test("a slow reader learns how many changes it missed, and continues with the newest")
  func gap() async throws {
    var iterator = store.transitions(bound: 4).makeAsyncIterator()
    for _ in 0..<50 {
      try await store.loggedIn(World.alice)
      _ = try await store.logOut()
    }
    let last = store.revision
    var changes: [SessionChange] = []
    while changes.last?.revision != last, let change = await iterator.next() { changes.append(change) }
    #expect(changes.count <= 4)
    let missed = changes.reduce(0) { $0 + $1.missed }
    #expect(UInt64(missed + changes.count) == last + 1)
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.revision < $1.revision })
  }

  @Test("each iterator is a separate subscriber")
  func ownSubscriber() async throws {
    let transitions = store.transitions(bound: 256)
    var first = transitions.makeAsyncIterator()
    var second = transitions.makeAsyncIterator()
    #expect(await first.next()?.revision == 0)
    try await store.loggedIn(World.alice)
    #expect(await first.next()?.revision == 1)
    #expect(await second.next()?.revision == 0)
    #expect(await second.next()?.revision == 1)
    var late = transitions.makeAsyncIterator()
    #expect(await late.next()?.revision == store.revision)
  }

  @Test("a stream ends when its task is cancelled")
  func cancelled() async {
    let reader = Task {
      var count = 0
      for await _ in store.transitions { count += 1 }
      return count
    }
    await Task.yield()
    reader.cancel()
    #expect(await reader.value <= 1)
  }

  @Test("releasing the store ends every stream after its last change")
  func storeGone() async throws {
    var store: SessionStore? = World().anotherProcess()
    let transitions = try #require(store?.transitions(bound: 256))
    var iterator = transitions.makeAsyncIterator()
    let waiting = Task {
      var last: SessionSnapshot?
      for await change in transitions { last = change.snapshot }
      return last
    }
    let key = try await store?.loggedIn(World.alice)
    store = nil
    var seen: [SessionChange] = []
    while let change = await iterator.next() { seen.append(change) }
    #expect(seen.last?.snapshot.session == key)
    #expect(await waiting.value?.session?.id == key?.id || waiting.isCancelled == false)
    #expect(key?.endReason == .storeReleased)
    var late = transitions.makeAsyncIterator()
    #expect(await late.next() == nil)
  }
}
