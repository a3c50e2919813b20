public import AuthCore
import ConcurrencyKit
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Stores the session token of one context, and the names of its user, in a file of mode 0600, in a
/// directory of mode 0700.
///
/// Every change writes a temporary file, syncs it, renames it into place and syncs the directory,
/// so that a reader sees the old token or the new one, even after a crash. Changes are
/// compare-and-swap under a lock; reading takes no lock. A call blocks while it waits for the disk,
/// and for up to `lockWait` while it waits for another process.
public final class FileVault: SessionVault {
  static let sessionSuffix = ".session"
  static let lockSuffix = ".lock"
  /// The suffix of the file with the settings of an identity provider.
  static let providerSuffix = ".provider"
  /// The suffix of the file with the lock and its note.
  static let exchangeSuffix = ".exchange"
  /// The suffix of the file with the recorded answer.
  static let answerSuffix = ".answer"
  /// The suffix of the file that is reserved for the result of an exchange.
  static let reservedSuffix = ".reserved"
  /// The suffix of a file that was set aside: after the name of the session file, before a number.
  static let evidenceSuffix = ".corrupt-"

  package let directory: PrivateDirectory
  let context: ContextName
  let lockWait: Duration
  let issuer: TokenIssuer
  let clock: any SessionClock
  let describeForeign: ForeignSession
  let mayErase: @Sendable (SessionToken) -> Bool
  private let lastRead = Locked<LastKnownUser?>(nil)

  /// Describes a session file with a token of another issuer, and gives a hint.
  package typealias ForeignSession = @Sendable (TokenIssuer) -> (problem: String, hint: String)

  /// Creates a vault in a directory.
  ///
  /// This does not read or create anything yet.
  ///
  /// - Parameters:
  ///   - directory: The directory of session files; created with mode 0700 when the first one is
  ///     saved. If others have access to it, the first write sets mode 0700, but only if it
  ///     contains only session files and a database. Otherwise the directory is refused.
  ///   - context: The context, if there are several logins.
  ///   - lockWait: The longest wait for another process that changes the same file.
  ///   - issuer: The issuer of the tokens. A file with a token of another issuer is neither read
  ///     nor changed.
  ///   - clock: Measures when an exchange of the token began.
  public convenience init(
    directory: String, context: ContextName = .standard, lockWait: Duration = .seconds(5),
    issuer: TokenIssuer = .app, clock: any SessionClock = BootClock()
  ) {
    self.init(directory: directory, context: context, lockWait: lockWait, issuer: issuer, clock: clock) { _ in
      (
        "holds a session of another authority.",
        "Use another context, or delete the file if that authority no longer exists. Nothing was changed."
      )
    }
  }

  /// Creates a vault for a program that describes sessions of other issuers itself, and decides
  /// which tokens may be erased.
  package init(
    directory: String, context: ContextName, lockWait: Duration = .seconds(5), issuer: TokenIssuer,
    clock: any SessionClock = BootClock(), mayErase: @escaping @Sendable (SessionToken) -> Bool = { _ in true },
    describingForeign describeForeign: @escaping ForeignSession
  ) {
    self.clock = clock
    self.mayErase = mayErase
    self.describeForeign = describeForeign
    self.issuer = issuer
    self.directory = PrivateDirectory(named: directory)
    self.context = context
    self.lockWait = lockWait
  }

  /// The path of the session file.
  public var path: String { directory.file(name) }

  /// The name of the session file.
  package var name: String { "\(context)\(Self.sessionSuffix)" }
  var lockName: String { "\(context)\(Self.lockSuffix)" }
  var exchangeName: String { "\(context)\(Self.exchangeSuffix)" }
  var answerName: String { "\(context)\(Self.answerSuffix)" }
  var reservedName: String { DurableFile.temporaryPrefix + name + Self.reservedSuffix }

  /// Reads the session file, without changing anything.
  ///
  /// Anything at the path other than a readable, private session file of this user is `corrupt`.
  /// `unavailable` means that the path could not be examined.
  public func load() async -> VaultReading {
    let reading = read()
    if case .token(_, let details) = reading, let user = details.user { lastRead.withLock { $0 = user } }
    return reading
  }

  /// The user of the session that was last loaded, for messages after its end.
  package var lastReadUser: LastKnownUser? { lastRead.withLock(\.self) }

  /// Saves `token` and its details; sets an unusable file aside first.
  ///
  /// It does not replace a session of another database, because that session could then never be
  /// revoked.
  ///
  /// - Returns: The replaced content.
  @discardableResult
  public func store(
    _ token: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> VaultReading {
    try change { (directory, reading) throws(FileError) in
      if case .corrupt = reading { _ = try moveAside(in: directory) }
      if case .token(let kept, _) = reading, issuer.namesDatabase, !SessionFile.areOfOneDatabase(kept, token) {
        throw FileError(
          .denied, "\(path.escaped) holds a session of another database.",
          hint: "Log out there first, or use another --context. The file was not changed.")
      }
      try directory.replace(name, with: text(token, details))
      if case .absent = reading { try directory.synchronizeEntry() }
      return reading
    }
  }

  /// Saves `new` and its details if `old` is saved.
  public func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool {
    try change { (directory, reading) throws(FileError) in
      guard case .token(old, _) = reading else { return false }
      try directory.replace(name, with: text(new, details))
      return true
    }
  }

  /// The same as ``replace(_:with:_:)``, through the file that was reserved for an exchange.
  func replaceReserved(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails, in directory: OpenDirectory
  ) throws(VaultError) -> Bool {
    defer { unlinkat(directory.descriptor, reservedName, 0) }
    return try change(in: directory) { (directory, reading) throws(FileError) in
      guard case .token(old, _) = reading else { return false }
      try directory.replace(name, with: text(new, details), reserved: reservedName)
      return true
    }
  }

  /// Erases `token` if it is saved.
  public func erase(_ token: SessionToken) async throws(VaultError) {
    guard mayErase(token), read() != .absent else { return }
    try change { (directory, reading) throws(FileError) in
      guard case .token(token, _) = reading else { return }
      for file in [answerName, reservedName, name] { try directory.remove(file) }
      try directory.synchronize()
    }
  }

  /// Deletes the saved access token if `isMeant`, so that its next use renews it; the session
  /// stays.
  package func forgetAccessToken(if isMeant: (AccessToken) -> Bool) throws(VaultError) {
    try change { (directory, reading) throws(FileError) in
      guard case .token(let token, let details) = reading, let saved = details.accessToken, isMeant(saved) else {
        return
      }
      try directory.replace(name, with: text(token, TokenDetails(session: details.session, user: details.user)))
    }
  }

  private func text(_ token: SessionToken, _ details: TokenDetails) throws(FileError) -> [UInt8] {
    let text = SessionFile.text(token, details, issuer)
    guard text.count <= SessionFile.longest else {
      throw FileError(.noSpace, "The token is too long for a session file.", hint: "Use another vault.")
    }
    return text
  }

  /// Runs `body` with the writers' lock and what is saved.
  ///
  /// If no open directory is passed, it opens the vault's, and creates it if it is missing.
  func change<Result>(
    in opened: OpenDirectory? = nil, _ body: (OpenDirectory, VaultReading) throws(FileError) -> Result
  ) throws(VaultError) -> Result {
    let directory = if let opened { opened } else { try directory.create() }
    return try VaultLock.hold(lockName, in: directory, wait: lockWait) { () throws(FileError) in
      let reading = read(in: directory)
      if case .unavailable(let fault) = reading { throw fault }
      return try body(directory, reading)
    }
  }

  /// Checks that a session can be saved, before a user logs in at a server, whose grant would then
  /// be lost.
  ///
  /// - Throws: `VaultError` if the file system is read-only or full, or the file may not be
  ///   changed.
  public func requireRoom() throws(VaultError) {
    let probe = DurableFile.temporaryPrefix + name + ".room"
    try change { (directory, _) throws(FileError) in
      close(try directory.reserve(probe, SessionFile.longest))
      try directory.remove(probe)
    }
  }

  /// Creates the directory if it is missing, so that a process can watch it.
  ///
  /// An existing directory does not change.
  ///
  /// - Throws: `VaultError` when it cannot be created, or is not a directory of this user.
  public func prepare() throws(VaultError) {
    try directory.makeIfMissing()
  }
}
