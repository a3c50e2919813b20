package import AuthAccounts
import AuthCore

/// The rule book: every decision about accounts, sessions, payments and events, once, over any
/// ``Database``.
///
/// The methods of ``AuthAccounts/Backend`` say what each operation does; a rule says only what they
/// do not.
///
/// Operations take the token of a session. Each blocks its caller: for the database, and for about
/// 0.1 s where a password is hashed. Any number of threads, and of processes over one database, may
/// call at the same moment; their changes take some serial order.
package final class Rules: Sendable {
  package let database: any Database
  /// The limits of sessions.
  package let policy: SessionPolicy
  let hasher: PasswordHasher
  /// The refusals of each session, by the hash of its token, that leave an event: so that refusals
  /// do not fill the disk.
  let refusals: Rates<[UInt8]>
  /// Limits the events about uses of tokens without an active session, by the hash of the token.
  ///
  /// The empty key counts the uses of all unknown tokens together.
  let uses: Rates<[UInt8]>
  /// What the accounts of a shared database may change; nil limits nothing.
  let rates: Rates<Int64>?
  /// Counts the payees and tools that do not exist, by account of a shared database, because the
  /// answer to a payment or a proof tells which names do; nil limits nothing.
  let unknownPayees: Rates<Int64>?
  /// How long one request searches a list before it answers with what it found.
  let searchTime: Duration
  /// Whether people reach the database through a service.
  ///
  /// Then a registration never creates an administrator, and no caller is the owner of the
  /// database: only an operator can do these.
  package let isShared: Bool
  /// Whether these rules only look: reads log no event, and leave the first use of a new token to
  /// others.
  let onlyReads: Bool

  /// Creates the rules of a database; nothing is read yet.
  ///
  /// - Parameters:
  ///   - database: Where the data is.
  ///   - policy: The limits of sessions.
  ///   - cost: The cost of a password's hash.
  ///   - isShared: Whether people reach the database through a service.
  ///   - onlyReads: Whether reads write nothing at all, for the prompt of a shell.
  ///   - searchTime: How long one request searches a list.
  ///   - writeBurst: How many changes an account of a shared database may make without a pause.
  ///   - now: The time by which changes and refusals are counted.
  package init(
    database: any Database, policy: SessionPolicy, cost: PasswordCost, isShared: Bool = false,
    onlyReads: Bool = false, searchTime: Duration = .milliseconds(100), writeBurst: Int = 10_000,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    let noted = SessionPolicy.notedUsesAfterEnd
    refusals = Rates(burst: Int(noted), perSecond: Double(noted) / 60, now: now)
    uses = Rates(burst: Int(noted), perSecond: Double(noted) / 60, now: now)
    rates = isShared ? Rates(burst: writeBurst, perSecond: 10, now: now) : nil
    unknownPayees = isShared ? Rates(burst: 100, perSecond: 1 / 60, now: now) : nil
    self.database = database
    self.policy = policy
    self.isShared = isShared
    self.onlyReads = onlyReads
    self.searchTime = searchTime
    hasher = PasswordHasher(cost: cost)
  }
}
