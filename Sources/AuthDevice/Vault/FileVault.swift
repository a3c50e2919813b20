public import AuthCore
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
  /// The suffix of the file with the claim and its note.
  static let exchangeSuffix = ".exchange"
  /// The suffix of the file with the recorded answer.
  static let answerSuffix = ".answer"
  /// The suffix of the file that is reserved for the result of an exchange.
  static let reservedSuffix = ".reserved"
  /// The suffix of a file that was set aside: after the name of the session file, before a number.
  static let evidenceSuffix = ".corrupt-"
  /// The number of unusable session files to keep for a context.
  ///
  /// Only this user can create them, so this limits the leftovers of accidents and scripts.
  static let keptEvidence = 8

  package let directory: PrivateDirectory
  let context: ContextName
  let lockWait: Duration
  private let issuer: TokenIssuer
  let clock: any SessionClock

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
  public init(
    directory: String, context: ContextName = .standard, lockWait: Duration = .seconds(5),
    issuer: TokenIssuer = .app, clock: any SessionClock = BootClock()
  ) {
    self.clock = clock
    self.issuer = issuer
    self.directory = PrivateDirectory(named: directory)
    self.context = context
    self.lockWait = lockWait
  }

  /// The path of the session file.
  public var path: String { directory.file(name) }

  package var name: String { "\(context)\(Self.sessionSuffix)" }
  var exchangePath: String { directory.file("\(context)\(Self.exchangeSuffix)") }
  var answerPath: String { directory.file("\(context)\(Self.answerSuffix)") }
  var reservedPath: String { directory.file(DurableFile.temporaryPrefix + name + Self.reservedSuffix) }

  /// Reads the session file, without changing anything.
  ///
  /// Anything at the path other than a readable, private session file of this user is `corrupt`.
  /// `unavailable` means that the path could not be examined.
  public func load() async -> VaultReading {
    look()
  }

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
    try change { (reading) throws(FileError) in
      if case .corrupt = reading { _ = try moveAside() }
      if case .token(let kept, _) = reading, issuer == .server, !SessionFile.areOfOneDatabase(kept, token) {
        throw FileError(
          .denied, "\(path.escaped) holds a session of another database.",
          hint: "Log out there first, or use another --context. The file was not changed.")
      }
      try write(token, details)
      return reading
    }
  }

  /// Saves `new` and its details if `old` is saved.
  public func replace(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) async throws(VaultError) -> Bool {
    try change { (reading) throws(FileError) in
      guard case .token(old, _) = reading else { return false }
      try write(new, details)
      return true
    }
  }

  /// The same as ``replace(_:with:_:)``, in the room that was reserved for an exchange.
  func replaceReserved(
    _ old: SessionToken, with new: SessionToken, _ details: TokenDetails
  ) throws(VaultError) -> Bool {
    defer { unlink(reservedPath) }
    return try change { (reading) throws(FileError) in
      guard case .token(old, _) = reading else { return false }
      try DurableFile.replace(name, in: directory, with: try text(new, details), reserved: reservedPath)
      return true
    }
  }

  /// Erases `token` if it is saved.
  public func erase(_ token: SessionToken) async throws(VaultError) {
    if look() == .absent { return }
    try change { (reading) throws(FileError) in
      guard case .token(token, _) = reading else { return }
      for file in [answerPath, reservedPath, path] where unlink(file) != 0 && errno != ENOENT {
        throw .system(file, "cannot be removed", .current)
      }
      try directory.synchronize()
    }
  }

  /// Renames an unusable file to `NAME.session.corrupt-1`, or to the next free number.
  ///
  /// It keeps the newest eight and deletes older ones, except a directory that is not empty.
  ///
  /// - Returns: The new path, or nil if the file is usable or missing.
  public func setAside() async throws(VaultError) -> String? {
    guard case .corrupt = look() else { return nil }
    return try change { (reading) throws(FileError) in
      guard case .corrupt = reading else { return nil }
      return try moveAside()
    }
  }

  private func write(_ token: SessionToken, _ details: TokenDetails) throws(FileError) {
    try DurableFile.replace(name, in: directory, with: try text(token, details))
  }

  private func text(_ token: SessionToken, _ details: TokenDetails) throws(FileError) -> [UInt8] {
    let text = SessionFile.text(token, details, issuer)
    guard text.count <= SessionFile.longest else {
      throw FileError(.noSpace, "The token is too long for a session file.", hint: "Use another vault.")
    }
    return text
  }

  /// Runs `body` as the only writer, with the saved token.
  private func change<Result>(
    _ body: (VaultReading) throws(FileError) -> Result
  ) throws(VaultError) -> Result {
    try directory.create()
    let lock = directory.file("\(context)\(Self.lockSuffix)")
    return try VaultLock.hold(lock, wait: lockWait) { () throws(FileError) in
      let reading = look()
      if case .unavailable(let fault) = reading { throw fault }
      return try body(reading)
    }
  }

  private func moveAside() throws(FileError) -> String {
    let earlier = try evidenceNumbers()
    for old in earlier.dropLast(Self.keptEvidence - 1).map(evidence) {
      // A directory that is not empty stays.
      if remove(old) != 0, errno != ENOENT, errno != ENOTEMPTY { throw .system(old, "cannot be deleted", .current) }
    }
    let target = evidence((earlier.last ?? 0) + 1)
    guard let facts = try FileFacts(of: path), rename(path, target) == 0 else {
      throw .system(path, "cannot be set aside", .current)
    }
    // A file of another user keeps its mode, because no other user can enter the directory. So does
    // one with another name, which may be in use elsewhere.
    if facts.isRegularFile, facts.isOwn, !facts.hasOtherNames, chmod(target, 0o600) != 0 {
      throw .system(target, "cannot be made private", .current)
    }
    try directory.synchronize()
    return target
  }

  /// The numbers of the files that were set aside, in ascending order.
  private func evidenceNumbers() throws(FileError) -> [Int] {
    let prefix = name + Self.evidenceSuffix
    // This class never uses other numbers, so they belong to a foreign file.
    return try directory.names { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
      .filter { (1..<Int.max).contains($0) }.sorted()
  }

  private func evidence(_ number: Int) -> String { "\(path)\(Self.evidenceSuffix)\(number)" }

  /// The same as ``load()``, without a suspension.
  package func look() -> VaultReading {
    do throws(FileError) {
      guard let found = try directory.look(for: name) else { return .absent }
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      if descriptor < 0 { return try unopened(found, .current) }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .system(path, "cannot be examined", .current) }
      let facts = FileFacts(path: path, status: status)
      guard facts.isRegularFile else { return judged(facts) }
      var content = [UInt8](repeating: 0, count: min(Int(status.st_size), SessionFile.longest))
      let count = read(descriptor, &content, content.count)
      guard count >= 0 else { throw .system(path, "cannot be read", .current) }
      return judged(facts, SessionFile.read(Array(content.prefix(count))))
    } catch {
      return .unavailable(error)
    }
  }

  private func judged(
    _ facts: FileFacts, _ content: SessionFile.Reading = .corrupt("it is not a regular file", nil)
  ) -> VaultReading {
    do throws(FileError) {
      try facts.require(.file)
    } catch {
      let hint = error.kind == .wrongType ? Self.keptAsEvidence : error.hint
      return .corrupt(VaultEvidence(error.description, hint: hint, salvaged: content.legibleToken))
    }
    switch content {
    case .content(let content): return content.isOf(issuer) ? .token(content.token, content.details) : foreign(content)
    case .corrupt(let what, let salvaged):
      let description = "\(path.escaped) cannot be used: \(what)."
      return .corrupt(VaultEvidence(description, hint: Self.keptAsEvidence, salvaged: salvaged))
    }
  }

  /// The result for a file with a token of another issuer, so that a forgotten variable loses no
  /// session.
  private func foreign(_ content: SessionFile.Content) -> VaultReading {
    let isAtProvider = content.issuer?.isProvider == true
    if isAtProvider || issuer.isProvider {
      let place = isAtProvider ? "at \(issuer.isProvider ? "another" : "an") identity provider" : "of a database"
      return .unavailable(
        VaultError(
          "\(path.escaped) holds a session \(place).",
          hint: isAtProvider && !issuer.isProvider
            ? "The file beside it that describes the provider is missing. Log in there again with --provider, or delete the file."
            : "Use another --context, or log out first: auth-cli logout --context \(context)"))
    }
    if issuer == .embedded {
      return .unavailable(
        VaultError(
          "\(path.escaped) holds a session of another database, and AUTH_CLI_AUTHORITY is not set.",
          hint: "Set AUTH_CLI_AUTHORITY to the address at which you logged in, or use another --context. If that "
            + "service no longer exists, delete the file. Nothing was changed."))
    }
    if issuer == .server {
      return .unavailable(
        VaultError(
          "\(path.escaped) holds a session of the database on this machine, and AUTH_CLI_AUTHORITY names another one.",
          hint: "Use another --context, or log out: env -u AUTH_CLI_AUTHORITY auth-cli logout --context \(context)"))
    }
    return .unavailable(
      VaultError(
        "\(path.escaped) holds a session of another authority.",
        hint: "Use another context, or delete the file if that authority no longer exists. Nothing was changed."))
  }

  /// The result for a file that could not be opened: it is missing, is a link, has the wrong type,
  /// or access was refused.
  private func unopened(_ found: FileFacts, _ error: ErrorNumber) throws(FileError) -> VaultReading {
    if error.code == ENOENT { return .absent }
    guard found.isRegularFile, found.isOwn else { return judged(found) }
    if found.permissions & 0o400 != 0 { throw .system(path, "cannot be opened", error) }
    let fault = found.wrongMode("keeps its owner out")
    return .corrupt(VaultEvidence(fault.description, hint: fault.hint))
  }

  private static let keptAsEvidence = "Log in again; the file is kept beside it as evidence."
}

extension FileVault {
  /// The target of the session file, if it is a symbolic link.
  ///
  /// The link is never followed.
  package var linkTarget: String? { FileFacts.linkTarget(of: path) }

  /// Restricts the session file to its owner, if it belongs to this user and others have access.
  ///
  /// - Returns: The earlier mode; nil if nothing changed.
  package func closeToOthers() throws(VaultError) -> String? {
    // A later read reports a file that cannot be examined.
    guard let found = try? directory.look(for: name), Self.isOpenToOthers(found) else { return nil }
    return try change { (_) throws(FileError) in
      guard let facts = try FileFacts(of: path), Self.isOpenToOthers(facts) else { return nil }
      guard chmod(path, 0o600) == 0 else { throw .system(path, "cannot be made private", .current) }
      return facts.mode
    }
  }

  private static func isOpenToOthers(_ facts: FileFacts) -> Bool {
    facts.isRegularFile && facts.isOwn && !facts.isPrivate && !facts.hasOtherNames
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

extension FileVault {
  /// The contexts that have a session file or an identity provider's settings in a directory,
  /// sorted by name.
  ///
  /// - Returns: An empty array if there is no such directory.
  /// - Throws: `VaultError` when it cannot be read, or is not a directory of this user.
  public static func contexts(in path: String) throws(VaultError) -> [ContextName] {
    let directory = PrivateDirectory(named: path)
    guard let facts = try FileFacts(of: directory.path) else { return [] }
    try facts.requireOwn(.directory)
    let suffixes = [sessionSuffix, providerSuffix]
    let names = try directory.names().flatMap { name in
      suffixes.filter(name.hasSuffix).compactMap { ContextName(String(name.dropLast($0.count))) }
    }
    return Set(names).sorted { $0.description < $1.description }
  }
}
