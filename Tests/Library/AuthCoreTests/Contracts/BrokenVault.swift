import AuthCore
import AuthCoreTesting

/// A vault that breaks one rule.
final class BrokenVault: SessionVault {
  enum Flaw: CaseIterable {
    case eraseOfNothingFails, storesOnce, cutsAtZero, replaceDoesNothing, replaceAlways, eraseAny, setsAsideAnything
    case loadHeals, overwritesCorrupt, saysNoPlace, replaceOverCorrupt, eraseOverCorrupt, manyWinners, forgets
    case keepsNone, displacesNothing, forgetsUser, keepsFirstUser
    case locksForAll, releasesOverOthers, forgetsRefusal, forgetsInterruption, interruptsUnused
  }

  /// The token that the contract exchanges in many simultaneous calls.
  private static let zero = SessionToken(bytes: [0, 0, 10, 13, 34, 92, 255] + Array(repeating: 0, count: 25))

  let base: InMemoryVault
  let flaw: Flaw

  init(_ base: InMemoryVault, _ flaw: Flaw) {
    self.base = base
    self.flaw = flaw
  }

  private var isCorrupt: Bool {
    if case .corrupt = base.content { true } else { false }
  }

  func load() async -> VaultReading {
    let reading = await base.load()
    if flaw == .loadHeals, isCorrupt { base.content = .empty }
    return reading
  }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    let details = flaw == .forgetsUser ? TokenDetails() : details
    let isFirst = !base.log.contains(.store)
    var displaced = await base.load()
    switch flaw {
    case .storesOnce where !isFirst: break
    case .overwritesCorrupt where isCorrupt: base.content = .token(token)
    case .cutsAtZero:
      displaced = try await base.store(SessionToken(bytes: token.bytes.prefix { $0 != 0 }.map(\.self)), details)
    case .keepsNone where base.log.count { $0 == .store } > 3: base.content = .empty
    case .displacesNothing:
      try await base.store(token, details)
      displaced = .absent
    default: displaced = try await base.store(token, details)
    }
    if flaw == .forgets, isFirst { base.content = .empty }
    return displaced
  }

  func replace(_ old: SessionToken, with new: SessionToken, _ details: TokenDetails) async throws(VaultError) -> Bool {
    switch flaw {
    case .keepsFirstUser:
      guard case .token(_, let first) = await base.load() else { return false }
      return try await base.replace(old, with: new, first)
    case .replaceDoesNothing: return true
    case .replaceAlways:
      try await base.store(new, details)
      return true
    case .replaceOverCorrupt where isCorrupt:
      try await base.store(new, details)
      return false
    case .manyWinners:
      return try await base.replace(old, with: new, details) || base.content != .empty && old == Self.zero
    default: return try await base.replace(old, with: new, details)
    }
  }

  func erase(_ token: SessionToken) async throws(VaultError) {
    switch flaw {
    case .eraseOfNothingFails where base.content == .empty: throw VaultError("no such file")
    case .eraseAny: base.content = .empty
    case .eraseOverCorrupt where isCorrupt: base.content = .empty
    default: try await base.erase(token)
    }
  }

  func setAside() async throws(VaultError) -> String? {
    if flaw == .setsAsideAnything, base.content != .empty {
      base.content = .empty
      return "evidence"
    }
    let place = try await base.setAside()
    return flaw == .saysNoPlace ? nil : place
  }

  func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    if flaw == .locksForAll { return .acquired(BrokenLock(base: nil, vault: base, flaw: flaw)) }
    let locked = try await base.lockExchange(of: token, wait: wait)
    guard case .acquired(let lock) = locked else { return locked }
    return .acquired(BrokenLock(base: lock, vault: base, flaw: flaw))
  }

  func isInterrupted(_ token: SessionToken) async -> Bool {
    if flaw == .interruptsUnused { return true }
    return await base.isInterrupted(token)
  }
}

private struct BrokenLock: ExchangeLock {
  let base: (any ExchangeLock)?
  let vault: InMemoryVault
  let flaw: BrokenVault.Flaw

  var interrupted: InterruptedExchange? { base?.interrupted }

  func begin() async throws(VaultError) -> ExchangeRecorder? { try await base?.begin() }

  func release(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
    switch (flaw, end) {
    case (.releasesOverOthers, .replaced(let new, let details)), (.locksForAll, .replaced(let new, let details)):
      try await vault.store(new, details)
      _ = try await base?.release(.unsent)
      return true
    case (.forgetsRefusal, .refused), (.forgetsInterruption, .unknown):
      _ = try await base?.release(.unsent)
      return true
    case _: return try await base?.release(end) ?? true
    }
  }
}

/// A vault with the locks that every vault has by default.
struct OneProcessVault: SessionVault {
  let base: InMemoryVault

  func load() async -> VaultReading { await base.load() }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    try await base.store(token, details)
  }

  func replace(_ old: SessionToken, with new: SessionToken, _ details: TokenDetails) async throws(VaultError) -> Bool {
    try await base.replace(old, with: new, details)
  }

  func erase(_ token: SessionToken) async throws(VaultError) { try await base.erase(token) }

  func setAside() async throws(VaultError) -> String? { try await base.setAside() }
}

/// A vault that has no room for long names.
struct SmallVault: SessionVault {
  static let full = VaultError("The vault has no room for so long a token.", code: "vault_full")
  let base: InMemoryVault

  func load() async -> VaultReading { await base.load() }

  func store(_ token: SessionToken, _ details: TokenDetails) async throws(VaultError) -> VaultReading {
    try Self.require(details)
    return try await base.store(token, details)
  }

  func replace(_ old: SessionToken, with new: SessionToken, _ details: TokenDetails) async throws(VaultError) -> Bool {
    try Self.require(details)
    return try await base.replace(old, with: new, details)
  }

  func erase(_ token: SessionToken) async throws(VaultError) { try await base.erase(token) }

  func setAside() async throws(VaultError) -> String? { try await base.setAside() }

  private static func require(_ details: TokenDetails) throws(VaultError) {
    if details.user?.displayName.utf8.count ?? 0 > 100 { throw full }
  }
}
