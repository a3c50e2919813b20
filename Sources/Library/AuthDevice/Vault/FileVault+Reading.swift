public import AuthCore
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FileVault {
  /// Reads the session file as ``load()`` does, without suspending the caller.
  package func read() -> VaultReading {
    do throws(FileError) {
      guard let directory = try directory.opened() else { return .absent }
      return read(in: directory)
    } catch {
      return .unavailable(error)
    }
  }

  func read(in directory: OpenDirectory) -> VaultReading {
    do throws(FileError) {
      guard let found = try directory.find(name) else { return .absent }
      let descriptor = directory.open(name, O_RDONLY)
      if descriptor < 0 { return try unopened(found, .current) }
      defer { close(descriptor) }
      let facts = try directory.facts(of: descriptor, name)
      guard facts.isRegularFile else { return judged(facts) }
      return judged(facts, SessionFile.read(try directory.content(descriptor, facts, atMost: SessionFile.longest)))
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
      return .corrupt(VaultEvidence(error.description, hint: hint, salvaged: content.legibleToken(of: issuer)))
    }
    switch content {
    case .content(let content): return content.isOf(issuer) ? .token(content.token, content.details) : foreign(content)
    case .corrupt(let what, _):
      let description = "\(path.escaped) cannot be used: \(what)."
      return .corrupt(VaultEvidence(description, hint: Self.keptAsEvidence, salvaged: content.legibleToken(of: issuer)))
    }
  }

  /// The result for a file with a token of another issuer.
  ///
  /// The file is not corrupt: perhaps the user only forgot to set an environment variable.
  private func foreign(_ content: SessionFile.Content) -> VaultReading {
    let (problem, hint) = describeForeign(content.issuer)
    return .unavailable(VaultError("\(path.escaped) \(problem)", hint: hint))
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
    guard let found = try? directory.opened()?.find(name), Self.isOpenToOthers(found) else { return nil }
    return try change { (directory, _) throws(FileError) in
      guard let facts = try directory.facts(of: name), Self.isOpenToOthers(facts) else { return nil }
      try directory.makePrivate(name)
      return facts.mode
    }
  }

  private static func isOpenToOthers(_ facts: FileFacts) -> Bool {
    facts.isRegularFile && facts.isOwn && !facts.isPrivate && !facts.hasOtherNames
  }
}

extension FileVault {
  /// The contexts that have a session file or an identity provider's settings in a directory,
  /// sorted by name.
  ///
  /// - Returns: An empty array if there is no such directory.
  /// - Throws: `VaultError` when it cannot be read, or is not a directory of this user.
  public static func contexts(in path: String) throws(VaultError) -> [ContextName] {
    guard let directory = try PrivateDirectory(named: path).opened() else { return [] }
    let suffixes = [sessionSuffix, providerSuffix]
    let names = try directory.names().flatMap { name in
      suffixes.filter(name.hasSuffix).compactMap { ContextName(String(name.dropLast($0.count))) }
    }
    return Set(names).sorted { $0.description < $1.description }
  }
}
