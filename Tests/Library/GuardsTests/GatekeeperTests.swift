import Guards
import PublishedForms
import Testing

struct LoadState: OptionSet, Sendable {
  let rawValue: Int
  static let loading = LoadState(rawValue: 1 << 0)
  static let loaded = LoadState(rawValue: 1 << 1)
  static let failed = LoadState(rawValue: 1 << 2)
}

struct Refusal: Error, Equatable {}

@Suite("Gatekeeper: the published functions", .timeLimit(.minutes(10)))
struct GatekeeperTests {

  @Test("an element that is itself a set is one condition, not several") func setOfSets() {
    let gate = Gatekeeper<Set<Set<Int>>>()
    #expect(gate.attemptPassage(for: [1, 2]))
    #expect(gate.attemptPassage(for: [1]))
    #expect(gate.attemptPassage(for: []))
    #expect(!gate.attemptPassage(for: [2, 1]))
  }

  @Test("a composite option slips through the published form") func compositePublished() {
    var gate = PublishedSetGatekeeper<LoadState>()
    let first = gate.attemptPassage(for: .loading)
    let second = gate.attemptPassage(for: [.loading, .loaded])
    #expect(first && second, "the defect that the form here does not have")
  }

  @Test("in the documented order, a refused load leaves loading open")
  func loadingAndLoaded() {
    let gate = Gatekeeper<LoadState>()
    func load() -> Bool {
      guard gate.attemptPassage(for: .loading) else { return false }
      defer { gate.reset(for: .loading) }
      return gate.attemptPassage(for: .loaded)
    }
    #expect(load())
    #expect(!load())
    #expect(gate.mayPass(for: .loading))

    var published = PublishedSetGatekeeper<LoadState>()
    published.attemptPassage(for: .loaded)
    let loads = published.attemptPassage(for: .loading) && published.mayPass(for: .loaded)
    #expect(!loads)
    #expect(!published.mayPass(for: .loading), "the published order leaves loading shut for ever")
  }

  /// All instances are equal, and each uses the gate when it dies.
  private final class Departing: Hashable, Sendable {
    static let gate = Gatekeeper<Set<Departing>>()
    static let other = Departing()

    static func == (one: Departing, other: Departing) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    deinit { _ = Departing.gate.mayPass(for: Departing.other) }
  }

  @Test("an element is released with no lock held") func elementThatComesBack() {
    let gate = Departing.gate
    gate.attemptPassage(for: Departing())
    gate.reset(for: Departing.other)
    #expect(gate.withPassage(for: Departing()) { 1 } == .passed(1))
    #expect(gate.mayPass(for: Departing.other))
  }
}
