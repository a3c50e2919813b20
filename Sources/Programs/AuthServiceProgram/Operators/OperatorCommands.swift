import AuthAccounts
import AuthDevice
import AuthMessages
import AuthService
import CommandLineKit
import Glibc
import TextFormat

/// A command that asks a running service.
struct OperatorCommand {
  let request: OperatorRequest
  /// What it is about, such as a user or a time.
  let value: String
  let socket: String
  /// Where to write what the service sends.
  let file: String?

  static let health = asking(
    .health, "Show whether the service works",
    discussion: [
      "Writes to the database, and sends a request over the socket for people. The status is 1 if one of the two failed "
        + "or took too long, or if requests of people fail or wait too long. It is 3 if the service does not answer."
    ],
    options: [json], ("health --json", "prints a JSON document for monitoring")
  ) { $0[json] ? "json" : "text" }

  static let metrics = asking(
    .metrics, "Print counters for Prometheus",
    ("metrics", "prints them in its text format, for the textfile collector"))

  static let sessions = ofUser(
    .endSessions, "End every session of a user", "ends every session of alice", group: "End sessions")

  static let twoStep = ofUser(
    .endTwoStep, "Turn the second step of a user off", "alice logs in with the password alone",
    group: "Help a user who lost the second step")

  static let resetPassword = ofUser(
    .resetPassword, "Create a one-time code for a user's new password",
    "prints a code; alice uses it with 'auth-cli recover alice'",
    discussion: ["Prints the code, and nothing else on standard output. It works once, within an hour."])

  static let backup = asking(
    .backup, "Copy the SQLite database of the running service to a file",
    discussion: ["Copies the database as it is at one moment. No request waits for the copy."], file: Arguments.file,
    ("backup /var/backups/auth.db", "writes a copy that only you can read"))

  static let events = asking(
    .archive, "Move events before a time to a file", group: "Archive events",
    discussion: ["A JSON document for each event. They are deleted when the file is on the disk."],
    file: Arguments.file,
    options: [before], ("events archive --before 52w old.jsonl", "moves events older than a year")
  ) { String($0[before].microseconds) }

  private static let json = Option.flag("json", "Print a JSON document")
  private static let before = Option.required(
    "before", "TIME", ValueKind.moment("a time"),
    "Events before this time: 52w or 90d (ago), 2026-01-31 or '2026-01-31 09:30'; it must be in the past")

  private static func ofUser(
    _ request: OperatorRequest, _ summary: String, _ shows: String, group: String? = nil, discussion: [String] = []
  ) -> Command<ServiceCommand> {
    asking(
      request, summary, group: group, discussion: discussion, arguments: [Arguments.user],
      ("\(request.rawValue) alice", shows)
    ) { $0[Arguments.user].canonical }
  }

  /// A command that sends the service a request, and may write a file; in a group, if the request
  /// has two words.
  private static func asking(
    _ request: OperatorRequest, _ summary: String, group: String? = nil, discussion: [String] = [],
    arguments: [any DeclaredArgument] = [], file: Argument<String>? = nil, options: [any DeclaredOption] = [],
    _ example: Example, _ value: @escaping @Sendable (ParsedWords) -> String = { _ in "" }
  ) -> Command<ServiceCommand> {
    let words = request.rawValue.split(separator: " ").map(String.init)
    let command = Command<ServiceCommand>(
      words[words.count - 1], summary: summary, discussion: discussion,
      arguments: arguments + [file].compactMap(\.self), options: options + [ServiceOptions.operators],
      examples: [example.line: example.shows], statuses: .of(.done, .no, .usage, .cannotTell)
    ) { parsed in
      let command = OperatorCommand(
        request: request, value: value(parsed), socket: parsed[ServiceOptions.operators], file: file.map { parsed[$0] })
      return ServiceCommand { _ throws(CommandError) in try command.run() }
    }
    guard let group else { return command }
    return Command(
      words[0], summary: group, examples: [example.line: example.shows], statuses: .of(.usage),
      subcommands: [command], request: nil)
  }

  /// Has the running service check the database file that it uses.
  ///
  /// - Returns: The status of `schema check`; nil when no service can be reached.
  static func check(_ file: String, by socket: String) throws(CommandError) -> ExitStatus? {
    guard let value = identity(ofFile: file), let descriptor = sockaddr_un(path: socket)?.connectedSocket() else {
      return nil
    }
    let command = OperatorCommand(request: .check, value: value, socket: socket, file: nil)
    return try command.answer(over: descriptor, nil)
  }

  /// Which file is at a path; nil when there is none.
  static func identity(ofFile path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
  }

  private func run() throws(CommandError) -> ExitStatus {
    do throws(CommandError) {
      return try answer()
    } catch {
      // Monitoring reads these also when the service does not answer.
      if request == .health, value == "json" {
        try Output.write(JSON.document(["healthy": false, "error": .string(error.message)]) + "\n")
      } else if request == .metrics {
        try Output.write(
          "# HELP auth_service_up Whether the service answers.\n# TYPE auth_service_up gauge\nauth_service_up 0\n")
      }
      throw error
    }
  }

  private func answer() throws(CommandError) -> ExitStatus {
    var received: ReceivedFile?
    if let file { received = try ReceivedFile(file) }
    let descriptor = try ConnectCommand.connection(
      to: socket, option: ServiceOptions.operators.declaration.flag,
      notPermitted: "Run this as root, or as the user of the service, auth-cli.")
    return try answer(over: descriptor, received)
  }

  private func answer(over descriptor: Int32, _ received: ReceivedFile?) throws(CommandError) -> ExitStatus {
    let channel = OperatorChannel(descriptor, time: request.patience)
    // sudo tells who is behind root.
    try channel.send(.request, request.rawValue, value, Environment.value("SUDO_USER") ?? "")
    while true {
      let (kind, bytes) = try channel.receive()
      var words: [String] { OperatorChannel.words(bytes) }
      var status: ExitStatus { words.first.flatMap { Int32($0) }.flatMap(ExitStatus.init) ?? .cannotTell }
      switch kind {
      case .data: try received?.write(bytes)
      case .sent where words == ["0"]: continue
      case .sent:
        try received?.finish()
        try channel.send(.request, "written")
      case .result where words.count == 3:
        try Output.write(words[1])
        write(STDERR_FILENO, words[2], words[2].utf8.count)
        return status
      case .failure where words.count == 3: throw CommandError(status, saying: words[1], hint: words[2])
      case .result, .failure, .request: throw OperatorChannel.lost
      }
    }
  }
}

/// A file that appears at its path when all of it is on the disk.
private final class ReceivedFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32

  init(_ path: String) throws(CommandError) {
    if path == "-" {
      throw CommandError(
        .usage, saying: "'-' is not the name of a file here: nothing is written to standard output",
        hint: "Name a file; write ./- for one with this name. Nothing was changed.")
    }
    self.path = path
    var status = stat()
    if lstat(path, &status) == 0 { throw Self.exists(path) }
    // Its name is new: another command may be writing a file for the same path.
    var name = Array((path + ".XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw Self.failed(path) }
    temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(descriptor)
    unlink(temporary)
  }

  func write(_ bytes: ArraySlice<UInt8>) throws(CommandError) {
    let error = writeAll(bytes, to: descriptor)
    guard error == 0 else { throw Self.failed(path, error) }
  }

  func finish() throws(CommandError) {
    // Not rename, which would take the place of a file that appeared meanwhile.
    guard fsync(descriptor) == 0, link(temporary, path) == 0 else {
      throw errno == EEXIST ? Self.exists(path) : Self.failed(path)
    }
    let folder = try? OpenDirectory(at: PrivateDirectory.parent(of: path), followingLinks: true)
    guard (try? folder?.synchronize()) != nil else { throw Self.failed(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.no, saying: "\(path.escaped) exists already", hint: "Choose another name; nothing was changed.")
  }

  private static func failed(_ path: String, _ error: Int32 = errno) -> CommandError {
    CommandError(
      .cannotTell, saying: "\(path.escaped) cannot be written: \(ErrorNumber(error).explanation)",
      hint: "Choose another directory; nothing was changed.")
  }
}

private enum Arguments {
  static let file = Argument.required("FILE", ServiceKinds.path, "The file to write; it must not exist")
  static let user = Argument.required("USER", ServiceKinds.username, "The name of the user")
}
