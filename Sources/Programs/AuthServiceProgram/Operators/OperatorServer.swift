import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import AuthRules
import AuthSQLite
import AuthServer
import AuthService
import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

/// Answers operators on a socket of their own, each on a thread of its own.
///
/// Only root and the user of the service can open the socket, so every request is permitted.
struct OperatorServer: Sendable {
  let listener: ListeningSocket
  let server: AuthServer
  let backend: ServedBackend
  let log: ServiceLog
  private let (write, request): (HealthProbe, HealthProbe)

  /// Creates a server; `people` is the socket for people, which `health` also checks.
  init(listener: ListeningSocket, people: ListeningSocket, server: AuthServer, backend: ServedBackend, log: ServiceLog)
  {
    (self.listener, self.server, self.backend, self.log) = (listener, server, backend, log)
    (write, request) = (.write(backend.rules), .socket(people.descriptor))
  }

  func start() -> Bool {
    removeLeftovers()
    return startThread { accept() }
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener.descriptor, nil, nil)
      if descriptor < 0, errno == EBADF || errno == EINVAL { return }
      guard descriptor >= 0 else {
        // Without a descriptor to spare it would fail again immediately.
        usleep(100_000)
        continue
      }
      let peer = Peer(of: descriptor)
      // A command may need minutes to make a large file durable before it answers.
      if !startThread({ serve(OperatorChannel(descriptor, time: .seconds(600)), peer) }) { close(descriptor) }
    }
  }

  private func serve(_ channel: OperatorChannel, _ peer: Peer?) {
    var asked: OperatorRequest?
    func log(_ level: ServiceLog.Level, _ who: String?, _ fields: (account: String?, error: String?, cause: String?)) {
      guard let asked, !asked.isReport else { return }
      self.log.write(
        level, "operator",
        [
          "command": asked.rawValue, "account": fields.account, "error": fields.error, "cause": fields.cause,
          "uid": peer.map { "\($0.caller.user)" }, "pid": peer.map { "\($0.process)" }, "sudo_user": who,
        ])
    }
    var sudoUser: String?
    do throws(CommandError) {
      let (kind, bytes) = try channel.receive()
      guard kind == .request else { throw OperatorChannel.lost }
      let words = OperatorChannel.words(bytes)
      guard let request = OperatorRequest(rawValue: words[0]), words.count == 3 else {
        throw CommandError(
          .cannotTell, "command_unknown", "the running service does not know this command",
          hint: "Restart it, so that it has the version of this program.")
      }
      (asked, sudoUser) = (request, words[2].isEmpty ? nil : words[2])
      let (status, text, note) = try answer(request, words[1], channel)
      log(.notice, sudoUser, (request.isAboutUser ? words[1] : nil, nil, nil))
      try channel.send(.result, "\(status.rawValue)", text, note)
    } catch {
      // The name is not logged, because a password may have been typed instead.
      let isFault = error.status == .cannotTell
      let code = error.code.isEmpty ? nil : error.code
      log(isFault ? .err : .notice, sudoUser, (nil, code, isFault || code == nil ? error.message : nil))
      try? channel.send(.failure, "\(error.status.rawValue)", error.message, error.hintForOperators())
    }
  }

  /// Answers a request about a value.
  ///
  /// - Returns: The status of its command, and what it prints on standard output and on standard
  ///   error.
  private func answer(
    _ request: OperatorRequest, _ value: String, _ channel: OperatorChannel
  ) throws(CommandError) -> (ExitStatus, String, String) {
    switch request {
    case .health:
      let health = health
      return (health.problems.isEmpty ? .done : .no, value == "json" ? health.json + "\n" : health.text, "")
    case .metrics: return (.done, health.metrics(databaseSize: backend.size), "")
    case .endSessions:
      let count = try ask { (rules) throws(BackendError) in try rules.endSessions(of: try Username(value)) }
      return (.done, count == 1 ? "Ended 1 session.\n" : "Ended \(count) sessions.\n", "")
    case .resetPassword:
      let made = try ask { (rules) throws(BackendError) in try rules.resetPasswordAsOwner(of: try Username(value)) }
      let use = "The code works once, within \(made.validFor.words). It sets a new password:\n  auth-cli recover "
      return (.done, "\(made.code.text)\n", "\(use)\(made.user.username.escaped)\n")
    case .endTwoStep:
      try ask { (rules) throws(BackendError) in try rules.endTwoStep(of: try Username(value)) }
      return (.done, "\(value.escaped) logs in with the password alone now.\n", "")
    case .archive: return (.done, try archive(before: value, channel), "")
    case .backup: return (.done, try backup(channel), "")
    case .check:
      guard let authority = backend.embedded, OperatorCommand.identity(ofFile: authority.databasePath) == value else {
        throw CommandError(
          .cannotTell, saying: "the service at this socket has another database",
          hint: "Name the socket of the service that uses this one with --operators.")
      }
      let (status, lines) = SchemaCommand.report(try explained { () throws(BackendError) in try authority.faults() })
      return (status, lines.map { $0 + "\n" }.joined(), "")
    }
  }

  private func ask<Answer>(_ question: (Rules) throws(BackendError) -> Answer) throws(CommandError) -> Answer {
    let answer = try explained { () throws(BackendError) in try question(backend.rules) }
    server.noteChange()
    return answer
  }

  private var health: Health {
    let (write, request) = (write.run(atMost: Self.patience), request.run(atMost: Self.patience))
    return Health(status: server.status, write: write, request: request)
  }

  /// How long an attempt may take before it counts as failed.
  private static let patience = Duration.seconds(3)

  // MARK: Files, which the command writes

  /// Sends the events before a time as lines of JSON, and deletes them when they are written.
  private func archive(
    before text: String, _ channel: OperatorChannel
  ) throws(CommandError) -> String {
    guard let microseconds = Int64(text) else { throw OperatorChannel.lost }
    let time = WallTime(microseconds: microseconds)
    guard time <= WallTime.now() else {
      throw CommandError(
        .usage, "time_not_past", "that time is not in the past", hint: "Name an earlier one; nothing was changed.")
    }
    var pages: [(after: Int64, through: Int64, count: Int)] = []
    while let page = try ask({ [last = pages.last?.through] (rules) throws(BackendError) in
      try rules.archivePage(before: time, after: last)
    }) {
      for event in page.events { try channel.send(.data, Array((event.archived.text + "\n").utf8)) }
      pages.append((page.after, page.through, page.events.count))
    }
    let count = pages.reduce(0) { $0 + $1.count }
    try channel.send(.sent, "\(count)")
    if pages.isEmpty { return "There are no events before that time.\n" }
    // The command has made the file durable when it says so.
    guard try channel.receive().kind == .request else { throw OperatorChannel.lost }
    try ask { (rules) throws(BackendError) in try rules.noteArchive(of: count, before: time) }
    for page in pages {
      try ask { (rules) throws(BackendError) in
        try rules.deleteArchived(before: time, after: page.after, through: page.through, count: page.count)
      }
    }
    return "Archived \(count) \(count == 1 ? "event" : "events").\n"
  }

  private func backup(_ channel: OperatorChannel) throws(CommandError) -> String {
    guard let authority = backend.embedded, let directory = copies else {
      throw CommandError(
        .no, saying: "a PostgreSQL database is backed up by its own tools",
        hint: "Use pg_dump or pg_basebackup, and auth-service after-restore when you restored.")
    }
    var name = Array("\(directory)/\(Self.copyPrefix)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Self.unreadable }
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let file = "\(folder)/\(Self.copyName)"
    defer { Self.remove(folder) }
    do throws(BackendError) {
      try authority.copy(to: file)
    } catch {
      guard error.code == FileError.Kind.noSpace.rawValue else { throw CommandError(error) }
      throw CommandError(
        .cannotTell, saying: "there is no room in \(directory.escaped) for the copy, which is written there first",
        hint: "Make room beside the database; nothing was changed.")
    }
    let source = open(file, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw Self.unreadable }
    defer { close(source) }
    var size = 0
    var buffer = [UInt8](repeating: 0, count: 32_768)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count >= 0 else { throw Self.unreadable }
      if count == 0 { break }
      try channel.send(.data, Array(buffer[..<count]))
      size += count
    }
    try channel.send(.sent, "\(size)")
    guard try channel.receive().kind == .request else { throw OperatorChannel.lost }
    return "Copied \(size) bytes.\n"
  }

  /// Where copies are made: beside the database, where there is room for one.
  private var copies: String? { (backend.embedded?.databasePath).map(PrivateDirectory.parent) }

  /// The folder of an unfinished copy, and the file in it.
  private static let (copyPrefix, copyName) = (".auth-service-copy-", "copy.db")

  /// Removes the copies of a service that was killed while it made them.
  private func removeLeftovers() {
    guard let directory = copies else { return }
    let names = try? PrivateDirectory(named: directory).opened()?.names { $0.hasPrefix(Self.copyPrefix) }
    for name in names ?? [] { Self.remove("\(directory)/\(name)") }
  }

  private static func remove(_ folder: String) {
    for suffix in [""] + DatabaseFileName.sideFileSuffixes { unlink("\(folder)/\(copyName)\(suffix)") }
    rmdir(folder)
  }

  private static var unreadable: CommandError {
    CommandError(
      .cannotTell, saying: "the copy cannot be written or read: \(ErrorNumber.current.explanation)",
      hint: "Make room in the directory of the database.")
  }
}
