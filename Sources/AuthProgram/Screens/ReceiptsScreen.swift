import AuthBackend
import AuthCore
import Guards
import Synchronization

/// Payments made and received, a page at a time.
final class ReceiptsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Never reset, so that each receipt passes once.
  private let impressions = Gatekeeper<Set<Int64>>()
  private let count = Atomic(0)

  /// Loads a page, newest first.
  func page(
    of backend: any Backend, within times: TimeSpan = .all, matching text: String, before: Int64?, limit: Int,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> Page<Receipt> {
    let page = Page(
      of: limit,
      from: try backend.receipts(within: times, matching: text, before: before, limit: limit + 1, under: lease))
    for receipt in page.items where impressions.attemptPassage(for: receipt.id) { count.add(1, ordering: .relaxed) }
    return page
  }

  /// How many receipts were shown, each counted once however often its page was.
  var shown: Int { count.load(ordering: .relaxed) }
}
