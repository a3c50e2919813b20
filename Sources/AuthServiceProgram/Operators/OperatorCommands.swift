import AuthBackend
import CommandLineKit
import Glibc
import TextFormat

/// A command that asks a running service.
struct OperatorCommand: ServiceCommand {
  let words: [String]
  let socket: String?
  /// Where to write what the service sends.
  var file: String?

  static let health = Command<any ServiceCommand>(
    "health", summary: "Show whether the service works",
    discussion: ["It answers even while every request waits. Status 1 means that the database does not answer."],
    options: [Options.json, Options.operators],
    examples: [.init("health --json", "prints a JSON document for monitoring")],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in
    OperatorCommand(
      words: ["health", try words[Options.json] ? "json" : "text"], socket: try words[Options.operators])
  }

  static let metrics = plain(
    "metrics", "Print counters for Prometheus",
    example: .init("metrics", "prints them in its text format, for the textfile collector"))
  static let sessions = Command<any ServiceCommand>(
    "sessions", summary: "End sessions", examples: [.init("sessions end alice", "ends every session of alice")],
    statuses: .of(.usage),
    subcommands: [
      ofUser(
        "end", asking: "sessions end", "End every session of a user",
        example: .init("sessions end alice", "ends every session of alice"))
    ], request: nil)

  static let twoStep = Command<any ServiceCommand>(
    "two-step", summary: "Help a user who lost the second step",
    examples: [.init("two-step off alice", "alice logs in with the password alone")], statuses: .of(.usage),
    subcommands: [
      ofUser(
        "off", asking: "two-step off", "Turn the second step of a user off",
        example: .init("two-step off alice", "alice logs in with the password alone"))
    ], request: nil)

  static let resetPassword = ofUser(
    "reset-password", asking: "reset-password", "Create a one-time code for a user's new password",
    example: .init("reset-password alice", "prints a code; alice uses it with 'auth-cli recover alice'"))

  static let backup = Command<any ServiceCommand>(
    "backup", summary: "Copy the SQLite database of the running service to a file",
    discussion: ["The copy is one state of the database; requests wait while it is made."],
    arguments: [Arguments.file], options: [Options.operators],
    examples: [.init("backup /var/backups/auth.db", "writes a copy that only you can read")],
    statuses: .of(.done, .no, .usage, .cannotTell)
  ) { words throws(UsageError) in
    OperatorCommand(words: ["backup"], socket: try words[Options.operators], file: try words[Arguments.file])
  }

  static let events = Command<any ServiceCommand>(
    "events", summary: "Archive events",
    examples: [.init("events archive --before 52w old.jsonl", "moves old events to a file")],
    statuses: .of(.usage),
    subcommands: [
      Command(
        "archive", summary: "Move events before a time to a file",
        discussion: ["A JSON document for each event. They are deleted when the file is on the disk."],
        arguments: [Arguments.file], options: [Options.before, Options.operators],
        examples: [.init("events archive --before 52w old.jsonl", "moves events older than a year")],
        statuses: .of(.done, .no, .usage, .cannotTell)
      ) { words throws(UsageError) in
        let time: WallTime =
          switch try words[Options.before] {
          case .ago(let duration):
            WallTime(microseconds: WallTime.now().microseconds - duration.components.seconds * 1_000_000)
          case .at(let microseconds): WallTime(microseconds: microseconds)
          }
        return OperatorCommand(
          words: ["events archive", "\(time.microseconds)"], socket: try words[Options.operators],
          file: try words[Arguments.file])
      }
    ], request: nil)

  private static func plain(
    _ name: String, _ summary: String, discussion: [String] = [], example: Example
  ) -> Command<any ServiceCommand> {
    Command(
      name, summary: summary, discussion: discussion, options: [Options.operators], examples: [example],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in OperatorCommand(words: [name], socket: try words[Options.operators]) }
  }

  private static func ofUser(
    _ name: String, asking: String, _ summary: String, example: Example
  ) -> Command<any ServiceCommand> {
    Command(
      name, summary: summary, arguments: [Arguments.user], options: [Options.operators], examples: [example],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { words throws(UsageError) in
      OperatorCommand(words: [asking, try words[Arguments.user].canonical], socket: try words[Options.operators])
    }
  }

  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit {
    var received: ReceivedFile?
    if let file { received = try ReceivedFile(file) }
    let descriptor: Int32
    do throws(ServiceError) {
      descriptor = try ConnectCommand.connection(
        to: socket ?? Places.operators, notPermitted: "Run this as root, or as the user of the service, auth-cli.")
    } catch {
      // Monitoring reads these also when there is no service.
      if words == ["health", "json"] {
        try Output.write(JSON.document(["healthy": false, "error": .string(error.message)]) + "\n")
      } else if words == ["metrics"] {
        try Output.write(
          "# HELP auth_service_up Whether the service answers.\n# TYPE auth_service_up gauge\nauth_service_up 0\n")
      }
      throw error
    }
    let channel = OperatorChannel(descriptor, time: .seconds(120))
    defer { close(channel.descriptor) }
    try channel.send(.question, words)
    while true {
      let (kind, bytes) = try channel.receive()
      switch kind {
      case .data: try received?.write(bytes)
      case .sent:
        if bytes == Array("0".utf8) { continue }
        try received?.finish()
        try channel.send(.question, ["written"])
      case .result:
        let words = OperatorChannel.words(bytes)
        try Output.write(words.dropFirst().joined(separator: "\n"))
        return words.first.flatMap { Int32($0) }.flatMap(ServiceExit.init) ?? .cannotTell
      case .failure:
        let words = OperatorChannel.words(bytes)
        guard words.count == 3 else { throw OperatorChannel.lost }
        throw ServiceError(
          Int32(words[0]).flatMap(ServiceExit.init) ?? .cannotTell, words[1], hint: words[2])
      case .question: throw OperatorChannel.lost
      }
    }
  }
}

/// A file that appears at its path when all of it is on the disk.
private final class ReceivedFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32

  init(_ path: String) throws(ServiceError) {
    self.path = path
    temporary = path + ".new"
    if access(path, F_OK) == 0 {
      throw ServiceError(.no, "\(path.escaped) exists already", hint: "Choose another name; nothing was changed.")
    }
    unlink(temporary)
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failed(path) }
  }

  deinit {
    close(descriptor)
    unlink(temporary)
  }

  func write(_ bytes: [UInt8]) throws(ServiceError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Self.failed(path) }
      rest = rest.dropFirst(count)
    }
  }

  func finish() throws(ServiceError) {
    // Not rename, which would take the place of a file that appeared meanwhile.
    guard fsync(descriptor) == 0, link(temporary, path) == 0 else { throw Self.failed(path) }
    let end = path.lastIndex(of: "/")
    let folder = open(end.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    guard folder >= 0, fsync(folder) == 0 else { throw Self.failed(path) }
  }

  private static func failed(_ path: String) -> ServiceError {
    ServiceError(
      .cannotTell, "\(path.escaped) cannot be written: \(ErrorNumber.current.explanation)",
      hint: "Choose another directory; nothing was deleted.")
  }
}

private enum Arguments {
  static let file = Argument.required("FILE", Kinds.path, "The file to write; it must not exist")
  static let user = Argument.required("USER", Kinds.username, "The name of the user")
}

extension Options {
  static let json = Option.flag("json", "Print a JSON document")
  fileprivate static let before = Option.required(
    "before", "TIME", ValueKind.moment("a time"), "Events before this time")
}
