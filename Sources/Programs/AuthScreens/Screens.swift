package import AuthAccounts
package import AuthCore
import Guards
import Synchronization

/// A guarded screen of this program, which always has the current key of its session.
package protocol LiveScreen: GuardedScreen, Sendable {
  var key: LiveKey { get }
}

extension LiveScreen {
  /// The key of the session that the screen is open for.
  package var session: LoggedInSession { key.session }

  package func follow(_ session: LoggedInSession) { key.follow(session) }

  package func dismiss(_ reason: EndReason) { key.dismiss(reason) }
}

/// A screen of the user that remembers nothing, such as the profile.
package final class UserScreen: LiveScreen {
  package let key: LiveKey

  package init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page of what happened to the account, newest first; for an administrator, to all.
  package func events(
    _ page: Page, at backend: any Backend, under lease: borrowing SessionLease
  ) throws(BackendError) -> LoadedPage<Event> {
    guard let administrator = try? AdminSession(session) else {
      return LoadedPage(of: page.limit, from: try backend.events(page.withOneMore, under: lease))
    }
    return LoadedPage(
      of: page.limit, from: try backend.allEvents(page.withOneMore, for: administrator, under: lease))
  }
}

/// Payments made and received, a page at a time.
package final class ReceiptsScreen: LiveScreen {
  package let key: LiveKey

  package init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Counts each receipt once, because it is never reset.
  private let impressions = Gatekeeper<Set<Int64>>()
  private let count = Atomic(0)

  /// Loads a page, newest first.
  package func page(
    _ page: Page, of backend: any Backend, under lease: borrowing SessionLease
  ) throws(BackendError) -> LoadedPage<Receipt> {
    let loaded = LoadedPage(of: page.limit, from: try backend.receipts(page.withOneMore, under: lease))
    for receipt in loaded.items where impressions.attemptPassage(for: receipt.id) { count.add(1, ordering: .relaxed) }
    return loaded
  }

  /// The number of receipts shown; each counts once, however often its page is shown.
  package var shown: Int { count.load(ordering: .relaxed) }
}

/// The screen of an administrator: accounts and their settings.
package final class AccountsScreen: LiveScreen, RunsOnce {
  package let key: LiveKey

  package init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// Loads a page of at most as many accounts as the query requests.
  ///
  /// A page for the completions of a shell logs no event, because they change nothing.
  package func page(
    _ query: AccountsQuery, of backend: any Backend, for administrator: AdminSession,
    under lease: borrowing SessionLease, isForShell: Bool = false
  ) throws(BackendError) -> LoadedPage<AccountSummary> {
    if !isForShell { try noteView(at: backend, for: administrator, under: lease) }
    var oneMore = query
    oneMore.limit += 1
    return LoadedPage(of: query.limit, from: try backend.accounts(oneMore, for: administrator, under: lease))
  }

  /// Loads the account with this name, for an administrator.
  package func account(
    _ name: Username, at backend: any Backend, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> AccountSummary {
    try noteView(at: backend, for: administrator, under: lease)
    return try backend.account(named: name, for: administrator, under: lease)
  }

  /// Loads a page of groups.
  package func groups(
    _ page: GroupPage, at backend: any Backend, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) -> LoadedPage<GroupName> {
    try noteView(at: backend, for: administrator, under: lease)
    return LoadedPage(of: page.limit, from: try backend.groups(page.withOneMore, for: administrator, under: lease))
  }

  /// Loads a page of the members of a group.
  package func members(
    of group: GroupName, _ page: GroupPage, at backend: any Backend, for administrator: AdminSession,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> LoadedPage<AccountSummary> {
    try noteView(at: backend, for: administrator, under: lease)
    return LoadedPage(
      of: page.limit, from: try backend.members(of: group, page.withOneMore, for: administrator, under: lease))
  }

  /// Logs the event that an administrator viewed accounts: once for a screen, however many pages it
  /// shows.
  private func noteView(
    at backend: any Backend, for administrator: AdminSession, under lease: borrowing SessionLease
  ) throws(BackendError) {
    try runOnce(untilSuccess: true) { () throws(BackendError) in
      try backend.noteView(of: "accounts", for: administrator, under: lease)
    }
  }
}

/// A page of a long list, and whether more items follow.
package struct LoadedPage<Item: Sendable>: Sendable {
  /// The items of the page.
  package var items: [Item]
  /// Whether there are more after them.
  private var hasMore: Bool
  /// Where the search for more stopped, if it did.
  package private(set) var stop: SearchStop?

  /// The last item shown, if there are more after it.
  package var lastOfMore: Item? { hasMore ? items.last : nil }

  /// Creates a page from the loaded items, which are one more than fits if there are so many.
  package init(of limit: Int, from loaded: some Collection<Item>, stop: SearchStop? = nil) {
    items = Array(loaded.prefix(limit))
    hasMore = loaded.count > limit
    self.stop = stop
  }

  /// Creates a page from the rows that a search found.
  package init(of limit: Int, from found: Found<Item>) { self.init(of: limit, from: found.rows, stop: found.stop) }

  /// Adds the rows that the search found when it continued.
  package mutating func append(_ page: LoadedPage<Item>) {
    items += page.items
    (hasMore, stop) = (page.hasMore, page.stop)
  }
}

extension GroupPage {
  /// The same page and the row after it, which tells whether there are more.
  fileprivate var withOneMore: GroupPage { GroupPage(after: after, limit: limit + 1) }
}

extension Page {
  /// The same page and the row after it, which tells whether there are more.
  fileprivate var withOneMore: Page { Page(within: times, matching: text, before: before, limit: limit + 1) }
}
