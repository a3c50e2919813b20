import Foundation
import Programs
import Testing

@testable import AuthCore

/// Explores two stores on one vault, at an authority whose tokens are spent by their use.
///
/// The decisions are those of the shipped type, `ExchangeNote`. A store takes the steps of
/// `SessionCore.exchange`: lock, note, request, save, report. It or its request may crash before
/// each step, and it may stop; a logout may come at each point.
struct ExchangeModel: Hashable {
  enum Step: Hashable { case idle, locked, noted, asked, answered, over }

  struct Store: Hashable {
    /// The token in memory.
    var token: UInt8 = 0
    var step = Step.idle
    /// Whether the process is dead; its request may go on.
    var isDead = false
    var isStopped = false
    /// When it began to wait for another one's lock.
    var waiting: BootInstant?
    /// Whether an earlier exchange of its token was interrupted.
    var interrupted = false
    /// The new token, or nil for a refusal.
    var answer: UInt8?
    var endedBecause: EndReason?
  }

  var stores = [Store(), Store()]
  /// The token in the vault.
  var vault: UInt8? = 0
  var note: ExchangeNote?
  /// The answer that the request wrote down.
  var recorded: UInt8?
  /// The store whose process, or whose request, holds the lock.
  var holder: Int?
  /// The newest token of the family; nil if it has ended.
  var live: UInt8? = 0
  var isLoggedOut = false
  /// How often the authority refused a token.
  var refusals: UInt8 = 0
  var lostAnswer = false
  var hasCrashed = false
  var (renewals, crashes, stops, logouts, faults): (UInt8, UInt8, UInt8, UInt8, UInt8) = (2, 1, 1, 1, 1)

  enum Move: Hashable {
    case begin(Int), note(Int), ask(Int, fails: Bool), save(Int), crash(Int, withRequest: Bool), stop(Int), go(Int)
    case finishRequest(Int), launch(Int), logOut
  }

  enum Rule: String, CaseIterable {
    case spentTokenSent = "a live process sent a spent token"
    case refusedTokenSent = "a token that was refused was sent again"
    case endedWithoutLoss = "a session ended without a lost answer"
    case unexplainedEnd = "a lost session does not say why"
    case erasedCameBack = "an erased session came back"
    case leftAtAuthority = "a logout left a session at the authority"
    case deadTokenSaved = "the vault holds a token that does not work"
  }

  /// What a mutant does differently.
  enum Mutant: String, CaseIterable {
    case noLock = "the lock is not taken"
    case noRereading = "the vault is not read again after the wait"
    case loserErases = "who has an old token erases whatever the vault holds"
    case noNote = "no note is written before the request"
    case forgetsRefusal = "a refusal is not written down"
    case savesAlways = "a late save does not compare"
    case dropsAnswer = "a recorded answer is not read"
    case stealsFromStopped = "a stopped holder loses its lock"
    case failureEnds = "a request without an answer counts as a refusal"
    case keepsVanished = "a token that could not be saved after a logout is not revoked"

    /// The rule that it breaks.
    var rule: Rule {
      switch self {
      case .noLock, .noRereading, .dropsAnswer, .stealsFromStopped: .spentTokenSent
      case .loserErases: .deadTokenSaved
      case .noNote: .unexplainedEnd
      case .forgetsRefusal: .refusedTokenSent
      case .savesAlways: .erasedCameBack
      case .failureEnds: .endedWithoutLoss
      case .keepsVanished: .leftAtAuthority
      }
    }
  }

  /// The only instant: a wait began before the failure that ended it.
  var now: BootInstant { BootInstant(boot: BootID(high: 0, low: 0), uptime: .zero) }

  func moves() -> [Move] {
    var moves: [Move] = []
    for index in stores.indices {
      let store = stores[index]
      if store.isDead {
        if holder == index, store.step == .asked { moves.append(.finishRequest(index)) }
        if store.step == .over, vault != nil { moves.append(.launch(index)) }
        continue
      }
      if store.isStopped {
        moves.append(.go(index))
        continue
      }
      switch store.step {
      case .idle: if renewals > 0 { moves.append(.begin(index)) }
      case .locked: moves.append(.note(index))
      case .noted: moves += [.ask(index, fails: false)] + (faults > 0 ? [.ask(index, fails: true)] : [])
      case .asked: moves.append(.finishRequest(index))
      case .answered: moves.append(.save(index))
      case .over: break
      }
      if store.step != .over, crashes > 0 {
        moves += [.crash(index, withRequest: true), .crash(index, withRequest: false)]
      }
      if store.step != .idle, store.step != .over, stops > 0 { moves.append(.stop(index)) }
    }
    if logouts > 0, !isLoggedOut { moves.append(.logOut) }
    return moves
  }

  /// Takes a step, and returns the rule that it breaks.
  mutating func take(_ move: Move, _ mutant: Mutant?) -> Rule? {
    switch move {
    case .begin(let index): begin(index, mutant)
    case .note(let index):
      if mutant != .noNote { note = ExchangeNote(mark: [stores[index].token], began: now) }
      recorded = nil
      stores[index].step = .noted
    case .ask(let index, let fails):
      if fails { faults -= 1 }
      guard !fails || mutant == .failureEnds else {
        end(index, .unknown(Unavailability(.unreachable, "down")))
        break
      }
      let store = stores[index]
      if fails {
        stores[index].answer = nil
      } else if let live, live == store.token {
        self.live = live + 1
        stores[index].answer = live + 1
      } else {
        if live != nil, !lostAnswer { return .spentTokenSent }
        live = nil
        stores[index].answer = nil
        if refusals > 0 { return .refusedTokenSent }
        refusals += 1
      }
      stores[index].step = .asked
    case .finishRequest(let index):
      if !isLoggedOut { recorded = stores[index].answer }
      stores[index].step = stores[index].isDead ? .over : .answered
      if stores[index].isDead { holder = nil }
    case .save(let index): return save(index, mutant)
    case .crash(let index, let withRequest):
      crashes -= 1
      hasCrashed = true
      // A refusal that was not written down is forgotten, so one more request may ask.
      if [.asked, .answered].contains(stores[index].step), stores[index].answer == nil { refusals = 0 }
      stores[index].isDead = true
      if stores[index].step == .asked, !withRequest { break }
      if stores[index].step == .asked, stores[index].answer != nil { lostAnswer = true }
      stores[index].step = .over
      if holder == index { holder = nil }
    case .stop(let index):
      stops -= 1
      stores[index].isStopped = true
    case .go(let index): stores[index].isStopped = false
    case .launch(let index): stores[index] = Store(token: vault ?? 0)
    case .logOut:
      logouts -= 1
      isLoggedOut = true
      if vault == live { live = nil }
      (vault, recorded) = (nil, nil)
    }
    return broken()
  }

  private mutating func begin(_ index: Int, _ mutant: Mutant?) {
    let token = stores[index].token
    let isStolen = mutant == .stealsFromStopped && holder.map { stores[$0].isStopped } ?? false
    guard holder == nil || mutant == .noLock || isStolen else {
      stores[index].waiting = stores[index].waiting ?? now
      return
    }
    let saved = mutant == .noRereading ? token : vault
    let decision = ExchangeNote.decide(
      [token], saved: saved.map { [$0] }, note: note, waiting: stores[index].waiting)
    stores[index].waiting = nil
    switch decision {
    case .changed:
      renewals -= 1
      if let vault { stores[index].token = vault } else { stores[index].step = .over }
      if mutant == .loserErases { vault = nil }
    case .refused(let reason):
      if vault == token { vault = nil }
      stores[index].step = .over
      stores[index].endedBecause = reason
    case .failed: renewals -= 1
    case .acquired(let interrupted):
      holder = index
      stores[index].interrupted = interrupted != nil
      stores[index].step = .locked
      if interrupted != nil, let recorded, mutant != .dropsAnswer {
        stores[index].answer = recorded
        stores[index].step = .answered
      }
    }
  }

  private mutating func end(_ index: Int, _ end: ExchangeEnd) {
    note = note?.ended(end, interrupted: stores[index].interrupted ? now : nil, at: now)
    holder = nil
    renewals -= min(renewals, 1)
    stores[index].step = .idle
  }

  private mutating func save(_ index: Int, _ mutant: Mutant?) -> Rule? {
    let store = stores[index]
    guard let answer = store.answer else {
      let refusal = ExchangeEnd(.failure(.rejected(.ended(.revoked))), interrupted: store.interrupted ? now : nil)
      end(index, mutant == .forgetsRefusal ? .unsent : refusal)
      if mutant == .forgetsRefusal { note = nil }
      stores[index].step = .over
      if case .refused(let reason) = refusal { stores[index].endedBecause = reason }
      // With the mutant, another process asks before the token is erased.
      if vault == store.token, mutant != .forgetsRefusal { vault = nil }
      guard !isLoggedOut else { return nil }
      if !lostAnswer { return .endedWithoutLoss }
      return stores[index].endedBecause == .interrupted(began: now) ? nil : .unexplainedEnd
    }
    if vault == store.token || mutant == .savesAlways {
      vault = answer
      stores[index].token = answer
    } else if live == answer, mutant != .keepsVanished {
      live = nil
    }
    end(index, .replaced(by: SessionToken(bytes: [answer]), TokenDetails()))
    recorded = nil
    if vault != answer { stores[index].step = .over }
    return nil
  }

  /// The rule that the state breaks.
  private func broken() -> Rule? {
    if isLoggedOut, vault != nil { return .erasedCameBack }
    let isQuiet = holder == nil && stores.allSatisfy { $0.step == .idle || $0.step == .over }
    guard isQuiet, !lostAnswer else { return nil }
    if isLoggedOut, live != nil, !hasCrashed { return .leftAtAuthority }
    if !isLoggedOut, vault != live, recorded != live { return .deadTokenSaved }
    return nil
  }

  /// Explores all worlds; the shortest way to a broken rule, or to that of the mutant, and the
  /// number of worlds.
  static func explore(_ start: ExchangeModel, _ mutant: Mutant? = nil) -> (broken: String?, worlds: Int) {
    var seen: Set = [start]
    var frontier: [(ExchangeModel, [Move])] = [(start, [])]
    while !frontier.isEmpty {
      var next: [(ExchangeModel, [Move])] = []
      for (world, way) in frontier {
        for move in world.moves() {
          var reached = world
          if let rule = reached.take(move, mutant) {
            if let mutant, rule != mutant.rule { continue }
            return ("\(rule.rawValue): \(way + [move])", seen.count)
          }
          if seen.insert(reached).inserted { next.append((reached, way + [move])) }
        }
      }
      frontier = next
    }
    return (nil, seen.count)
  }
}

@Suite(.timeLimit(.minutes(240))) struct ExchangeModelTests {
  private static var start: ExchangeModel {
    var start = ExchangeModel()
    if getenv("CHECK_DEEP") != nil { (start.renewals, start.crashes, start.stops) = (4, 2, 2) }
    return start
  }

  @Test("two stores on one vault keep every rule, whatever crashes, stops or logs out at each step")
  func explore() {
    let (broken, worlds) = ExchangeModel.explore(Self.start)
    #expect(broken == nil)
    #expect(worlds > 1000)
    print("exchange model: \(worlds) worlds")
  }

  @Test("the exploration finds every mutant by the rule that it breaks", arguments: ExchangeModel.Mutant.allCases)
  func isFound(_ mutant: ExchangeModel.Mutant) {
    #expect(ExchangeModel.explore(Self.start, mutant).broken != nil)
  }

  @Test("every rule has a mutant that breaks it")
  func everyRule() {
    #expect(Set(ExchangeModel.Mutant.allCases.map(\.rule)) == Set(ExchangeModel.Rule.allCases))
  }
}
