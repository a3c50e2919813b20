import AuthBackend
import AuthCore

/// The guarded screens of one session: none can be made without it, and all are dismissed with it.
final class AppScreens: Sendable {
  let user: UserScreen
  let payment: PaymentScreen
  private let receipts: ReceiptsScreen
  private let accounts: AccountsScreen

  init?(_ store: SessionStore) {
    guard let user = store.open(UserScreen.self), let payment = store.open(PaymentScreen.self),
      let receipts = store.open(ReceiptsScreen.self), let accounts = store.open(AccountsScreen.self)
    else { return nil }
    (self.user, self.payment, self.receipts, self.accounts) = (user, payment, receipts, accounts)
  }

  /// What a tab shows of what its screen loads; the administrator is needed for accounts.
  func page(
    _ tab: AppTab, _ query: AppQuery, of backend: any Backend, _ administrator: AdminSession?, _ deadlines: Deadlines,
    under lease: borrowing SessionLease
  ) throws(BackendError) -> AppPage {
    switch tab {
    case .pay:
      let latest = try backend.receipts(within: .all, matching: "", before: nil, limit: 50, under: lease)
      return .pay(try backend.profile(under: lease), latest)
    case .receipts:
      return .receipts(
        try receipts.page(of: backend, matching: query.text, before: nil, limit: query.rows, under: lease),
        of: try backend.profile(under: lease), query: query)
    case .profile:
      let twoStep = try backend.twoStep(under: lease)
      return .profile(try backend.profile(under: lease), twoStep)
    case .sessions: return .sessions(try backend.sessions(under: lease), deadlines)
    case .events:
      return .events(
        try user.events(at: backend, matching: query.text, before: nil, limit: query.rows, under: lease),
        try backend.sessions(under: lease), query: query)
    case .accounts:
      guard let administrator else { return AppPage() }
      let registration = try backend.registration(for: administrator, under: lease)
      let policy = try backend.twoStepPolicy(for: administrator, under: lease)
      let rows = AccountsQuery(namePrefix: query.text, order: query.order, limit: query.rows)
      return .accounts(
        try accounts.page(rows, of: backend, for: administrator, under: lease), registration, policy, query: query)
    case .home, .machine: return AppPage()
    }
  }
}
