import AuthAccounts
import AuthCore
import AuthDevice
import AuthSQLite
import Glibc
import Guards
import PublishedForms
import Races
import Synchronization

/// Shows what two threads do with a guard at the same moment, beside its published form; the tour
/// plays it.
///
///     race-tool pay DIRECTORY    Gatekeeper; then a payment screen with accounts in the directory
///     race-tool first-time       RunOnce
///
/// The status is 1 when a guard failed, or when its published form never failed: then the threads
/// did not meet, and nothing was shown.
@main
enum RaceTool {
  private static let rounds = 2_000

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    switch words.first {
    case "pay" where words.count == 2: try await pay(in: words[2])
    case "first-time" where words.count == 1: firstTime()
    default:
      stop("Usage: race-tool pay DIRECTORY, or race-tool first-time", 2)
    }
  }

  private static func pay(in directory: String) async throws {
    showPublished("Gatekeeper", "both threads passed") {
      let gates = (0..<rounds).map { _ in PublishedGatekeeper() }
      return TwoThreads.race(rounds: rounds) { gates[$0].attemptPassage(isInterrupted: $0 % 16 == 0) }
    }
    let gates = (0..<rounds).map { _ in Gatekeeper() }
    show("Gatekeeper", "one thread passed", TwoThreads.race(rounds: rounds) { gates[$0].attemptPassage() })

    let screen = try await PaymentRace(directory: directory)
    let (receipts, refusals) = try await screen.run()
    for receipt in receipts { print("The payment screen: one thread paid \(receipt.amount) to \(receipt.payee).") }
    for refusal in refusals { print("The payment screen: one thread was refused: \(refusal.description)") }
    if receipts.count != 1 || refusals.map(\.code) != ["payment_in_progress"] { fail("The screen did not pay once.") }
  }

  private static func firstTime() {
    showPublished("RunOnce", "the first-time action ran twice") {
      let objects = (0..<rounds).map { _ in PublishedRunOnce() }
      return TwoThreads.race(rounds: rounds) { objects[$0].runs($0) }
    }
    let objects = (0..<rounds).map { _ in Visitor() }
    let tally = TwoThreads.race(rounds: rounds) { objects[$0].visit() }
    if objects.contains(where: { $0.welcomes.load(ordering: .relaxed) != 1 }) { fail("An action did not run once.") }
    show("RunOnce", "it ran once", tally)
  }

  /// Races the published form until it fails: a busy computer may run one thread after the other.
  private static func showPublished(_ guarding: String, _ fault: String, _ race: () -> [Int]) {
    for _ in 0..<2_000 {
      let both = race()[2]
      if both == 0 { continue }
      return print("\(guarding) as published: \(fault) in \(both) of \(rounds) rounds.")
    }
    fail("\(guarding) as published never failed: the threads did not meet.")
  }

  private static func show(_ guarding: String, _ promise: String, _ tally: [Int]) {
    if tally != [0, rounds, 0] { fail("\(guarding): none, one and both threads in \(tally) rounds.") }
    print("\(guarding) here: \(promise) in each of \(rounds) rounds.")
  }

  static func fail(_ words: String) -> Never { stop(words, 1) }

  private static func stop(_ words: String, _ status: Int32) -> Never {
    (words + "\n").withCString { text in _ = write(2, text, strlen(text)) }
    exit(status)
  }
}

/// A user who may come by two ways at the same moment.
private final class Visitor: RunsOnce, Sendable {
  let welcomes = Atomic(0)

  /// Whether this call ran the action.
  func visit() -> Bool {
    var ran = false
    runOnce {
      welcomes.add(1, ordering: .relaxed)
      ran = true
    }
    return ran
  }
}
