import AuthBackend
import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// A command that asks a running service.
struct OperatorCommand: ServiceCommand {
  let words: [String]
  let socket: String?
  /// Where to write what the service sends.
  var file: String?

  /// Whether it is for monitoring, which must not wait for a service that hangs.
  private var isReport: Bool { words[0] == "health" || words[0] == "metrics" }

  static let health = asking(
    "health", "Show whether the service works",
    discussion: ["It answers even while every request waits. Status 1 means that the database does not answer."],
    options: [json], ("health --json", "prints a JSON document for monitoring")
  ) { words in ["health", words[json] ? "json" : "text"] }

  static let metrics = asking(
    "metrics", "Print counters for Prometheus",
    ("metrics", "prints them in its text format, for the textfile collector")
  ) { _ in ["metrics"] }

  static let sessions = group(
    "sessions", "End sessions", ("sessions end alice", "ends every session of alice"),
    ofUser(
      "end", asking: "sessions end", "End every session of a user",
      ("sessions end alice", "ends every session of alice")))

  static let twoStep = group(
    "two-step", "Help a user who lost the second step",
    ("two-step off alice", "alice logs in with the password alone"),
    ofUser(
      "off", asking: "two-step off", "Turn the second step of a user off",
      ("two-step off alice", "alice logs in with the password alone")))

  static let resetPassword = ofUser(
    "reset-password", asking: "reset-password", "Create a one-time code for a user's new password",
    ("reset-password alice", "prints a code; alice uses it with 'auth-cli recover alice'"))

  static let backup = asking(
    "backup", "Copy the SQLite database of the running service to a file",
    discussion: ["The copy is one state of the database; requests wait while it is made."], file: Arguments.file,
    ("backup /var/backups/auth.db", "writes a copy that only you can read")
  ) { _ in ["backup"] }

  static let events = group(
    "events", "Archive events", ("events archive --before 52w old.jsonl", "moves old events to a file"),
    asking(
      "archive", "Move events before a time to a file",
      discussion: ["A JSON document for each event. They are deleted when the file is on the disk."],
      file: Arguments.file,
      options: [before], ("events archive --before 52w old.jsonl", "moves events older than a year")
    ) { words in
      let time = words[before].microseconds(now: WallTime.now().microseconds)
      return ["events archive", "\(time)"]
    })

  private static let json = Option.flag("json", "Print a JSON document")
  private static let before = Option.required(
    "before", "TIME", ValueKind.moment("a time"), "Events before this time")

  private static func group(
    _ name: String, _ summary: String, _ example: Example, _ command: Command<any ServiceCommand>
  ) -> Command<any ServiceCommand> {
    Command(
      name, summary: summary, examples: [example.line: example.shows], statuses: .of(.usage), subcommands: [command],
      request: nil)
  }

  private static func ofUser(
    _ name: String, asking question: String, _ summary: String, _ example: Example
  ) -> Command<any ServiceCommand> {
    asking(name, summary, arguments: [Arguments.user], example) { words in
      [question, words[Arguments.user].canonical]
    }
  }

  /// A command that sends the service its words, and may write a file.
  private static func asking(
    _ name: String, _ summary: String, discussion: [String] = [], arguments: [any DeclaredArgument] = [],
    file: Argument<String>? = nil, options: [any DeclaredOption] = [], _ example: Example,
    _ words: @escaping @Sendable (ParsedWords) -> [String]
  ) -> Command<any ServiceCommand> {
    Command(
      name, summary: summary, discussion: discussion, arguments: arguments + [file].compactMap(\.self),
      options: options + [Options.operators], examples: [example.line: example.shows],
      statuses: .of(.done, .no, .usage, .cannotTell)
    ) { parsed in
      OperatorCommand(words: words(parsed), socket: parsed[Options.operators], file: file.map { parsed[$0] })
    }
  }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    do throws(CommandError) {
      return try answer()
    } catch {
      // Monitoring reads these also when the service does not answer.
      if words == ["health", "json"] {
        try Output.write(JSON.document(["healthy": false, "error": .string(error.message)]) + "\n")
      } else if words == ["metrics"] {
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
      to: socket ?? Places.operators, option: Options.operators.declaration.flag,
      notPermitted: "Run this as root, or as the user of the service, auth-cli.")
    let channel = OperatorChannel(descriptor, time: isReport ? .seconds(15) : .seconds(120))
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
        return words.first.flatMap { Int32($0) }.flatMap(ExitStatus.init) ?? .cannotTell
      case .failure:
        let words = OperatorChannel.words(bytes)
        guard words.count == 3 else { throw OperatorChannel.lost }
        throw CommandError(
          Int32(words[0]).flatMap(ExitStatus.init) ?? .cannotTell, saying: words[1], hint: words[2])
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

  func write(_ bytes: [UInt8]) throws(CommandError) {
    let error = writeAll(bytes[...], to: descriptor)
    guard error == 0 else { throw Self.failed(path, error) }
  }

  func finish() throws(CommandError) {
    // Not rename, which would take the place of a file that appeared meanwhile.
    guard fsync(descriptor) == 0, link(temporary, path) == 0 else {
      throw errno == EEXIST ? Self.exists(path) : Self.failed(path)
    }
    let end = path.lastIndex(of: "/")
    let folder = open(end.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    guard folder >= 0, fsync(folder) == 0 else { throw Self.failed(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.no, saying: "\(path.escaped) exists already", hint: "Choose another name; nothing was changed.")
  }

  private static func failed(_ path: String, _ error: Int32 = errno) -> CommandError {
    CommandError(
      .cannotTell, saying: "\(path.escaped) cannot be written: \(ErrorNumber(error).explanation)",
      hint: "Choose another directory; nothing was deleted.")
  }
}

private enum Arguments {
  static let file = Argument.required("FILE", Kinds.path, "The file to write; it must not exist")
  static let user = Argument.required("USER", Kinds.username, "The name of the user")
}
