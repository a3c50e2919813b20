import DatabaseFiles
import Foundation
import Testing

/// The states in which a command may find the session file and the database.
enum SessionFileState: String, CaseIterable, Sendable {
  case absent, active, loggedOut, expired, ofEarlierBoot, disabled, firstUse, superseded
  case truncated, garbage, empty, olderForm, open, linked, directory, pipe, damagedToken, damagedDetails

  /// Brings a home in which alice is logged in into this state.
  func apply(to home: CommandHome) throws {
    let file = home.sessionFile
    switch self {
    case .active: break
    case .absent: try FileManager.default.removeItem(atPath: file)
    case .loggedOut: try home.changeDatabase("UPDATE sessions SET ended_reason = 'user_asked', ended_at = 1")
    case .expired: try home.changeDatabase("UPDATE sessions SET absolute_until = 0, active = 0")
    case .ofEarlierBoot: try home.changeDatabase("UPDATE sessions SET boot = x'00112233445566778899aabbccddeeff'")
    case .disabled: try home.changeDatabase("UPDATE accounts SET disabled = 1")
    case .firstUse:
      try home.changeDatabase(
        """
        INSERT INTO other_tokens(token_hash, session, number, active, idle_span, absolute_until, fresh_until, active_at,
          purge_after, absolute_span)
        SELECT token_hash, id, 1, active, idle_span, absolute_until, fresh_until, active_at, purge_after, absolute_span
        FROM sessions
        """)
      try home.changeDatabase("UPDATE sessions SET token_hash = zeroblob(32)")
    case .superseded:
      try home.changeDatabase(
        "INSERT INTO other_tokens(token_hash, session, number) SELECT token_hash, id, 1 FROM sessions")
      try home.changeDatabase("UPDATE sessions SET token_hash = zeroblob(32)")
    case .truncated: try change(file) { Data($0.prefix(60)) }
    case .garbage: try change(file) { Data($0.reversed()) }
    case .empty: try change(file) { _ in Data() }
    case .olderForm:
      try change(file) { content in
        Data(String(decoding: content, as: UTF8.self).replacing("session 6\n", with: "session 5\n").utf8)
      }
    case .open: try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
    case .linked:
      try FileManager.default.moveItem(atPath: file, toPath: home.file("elsewhere"))
      try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: home.file("elsewhere"))
    case .directory:
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    case .pipe:
      try FileManager.default.removeItem(atPath: file)
      try #require(mkfifo(file, 0o600) == 0)
    case .damagedToken: try change(line: 1, of: file)
    case .damagedDetails: try change(line: 2, of: file)
    }
  }

  /// Turns the last digit of a line into another one.
  private func change(line: Int, of file: String) throws {
    try change(file) { content in
      var lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      lines[line] = lines[line].dropLast() + (lines[line].hasSuffix("0") ? "1" : "0")
      return Data(lines.joined(separator: "\n").utf8)
    }
  }

  private func change(_ file: String, _ edit: (Data) -> Data) throws {
    let content = edit(try Data(contentsOf: URL(filePath: file)))
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: content)
    try handle.close()
  }
}

/// The databases in which a command may look for the session of a file.
enum DatabaseState: String, CaseIterable, Sendable {
  case itsOwn, another, missing, garbage

  func apply(to home: CommandHome, another: CommandHome) throws {
    let file = URL(filePath: home.database)
    switch self {
    case .itsOwn: break
    case .another:
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: URL(filePath: another.database), to: file)
    case .missing: try FileManager.default.removeItem(at: file)
    case .garbage: try Data(repeating: 7, count: 8192).write(to: file)
    }
  }
}

extension CommandHome {
  /// A home with a database of its own, which is no copy of the others.
  static func another() async throws -> CommandHome {
    let home = try await CommandHome(registered: false)
    try await home.succeed("register alice", as: "alice")
    return home
  }

  /// The names, modes, times and contents of all files in the home.
  func fingerprint() throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: data) + ["../elsewhere"] {
      let path = "\(data)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let content =
        status.st_mode & S_IFMT == S_IFREG ? try Data(contentsOf: URL(filePath: path)).base64EncodedString() : ""
      found[name] = [
        "\(status.st_ino) \(status.st_mode) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)", content,
      ]
    }
    return found
  }

  /// How many sessions the database holds active, whatever the program says.
  var activeSessions: Int {
    get throws { Int(try #require(rows("SELECT count(*) FROM sessions WHERE ended_reason IS NULL").first)) ?? -1 }
  }
}
