import AuthBackend
import AuthCore
import Guards

/// Payments made and received, a page at a time.
final class ReceiptsScreen: LiveScreen {
  let key: LiveKey

  init(session: LoggedInSession) {
    key = LiveKey(session)
  }
  private let impressions = EachOnce<Int64>(bound: 10_000)

  /// Loads a page, newest first.
  func page(
    of backend: any Backend, before: Int64?, limit: Int
  ) throws(LeaseError<BackendError>) -> Page<Receipt> {
    let page = try session.withLease { (lease) throws(BackendError) in
      Page(of: limit, from: try backend.receipts(before: before, limit: limit + 1, under: lease))
    }
    for receipt in page.items { _ = impressions.see(receipt.id) }
    return page
  }

  /// How many receipts were shown, each counted once however often its page was.
  var shown: Int { impressions.count }
}
