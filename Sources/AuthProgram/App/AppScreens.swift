import AuthBackend
import AuthCore

/// The guarded screens of one session: none can be made without it, and all are dismissed with it.
final class AppScreens: Sendable {
  let payment: PaymentScreen
  let receipts: ReceiptsScreen
  let profile: ProfileScreen
  let sessions: SessionsScreen
  let events: EventsScreen
  let accounts: AccountsScreen

  init?(_ store: SessionStore) {
    guard let payment = store.open(PaymentScreen.self), let receipts = store.open(ReceiptsScreen.self),
      let profile = store.open(ProfileScreen.self), let sessions = store.open(SessionsScreen.self),
      let events = store.open(EventsScreen.self),
      let accounts = store.open(AccountsScreen.self)
    else { return nil }
    (self.payment, self.receipts, self.profile) = (payment, receipts, profile)
    (self.sessions, self.events, self.accounts) = (sessions, events, accounts)
  }

  /// What a tab shows of what its screen loads; the administrator is needed for accounts.
  func page(
    _ tab: AppTab, _ query: AppQuery, of backend: any Backend, _ administrator: AdminSession?, _ deadlines: Deadlines
  ) throws(LeaseError<BackendError>) -> AppPage {
    switch tab {
    case .pay:
      let latest = try payment.session.withLease { (lease) throws(BackendError) in
        try backend.receipts(within: .all, matching: "", before: nil, limit: 50, under: lease)
      }
      return .pay(try profile.profile(of: backend), latest)
    case .receipts:
      return .receipts(
        try receipts.page(of: backend, matching: query.text, before: nil, limit: query.rows),
        of: try profile.profile(of: backend), query: query)
    case .profile:
      let twoStep = try profile.session.withLease { (lease) throws(BackendError) in try backend.twoStep(under: lease) }
      return .profile(try profile.profile(of: backend), twoStep)
    case .sessions: return .sessions(try sessions.sessions(at: backend), deadlines)
    case .events:
      return .events(
        try events.page(of: backend, matching: query.text, before: nil, limit: query.rows),
        try sessions.sessions(at: backend), query: query)
    case .accounts:
      guard let administrator else { return AppPage() }
      let (registration, policy) = try accounts.rules(at: backend, for: administrator)
      return .accounts(
        try accounts.page(
          AccountsQuery(namePrefix: query.text, order: query.order, limit: query.rows), of: backend,
          for: administrator), registration, policy, query: query)
    case .home, .machine: return AppPage()
    }
  }
}
