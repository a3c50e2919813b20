import CommandLineKit

/// What one command line asks for, with everything it says, and how to do it.
///
/// Every command is a type of this kind, in a file of `Commands/` with its declaration.
protocol CommandBody: Hashable, Sendable {
  /// Whether it needs the database, and so the program for that database.
  var asksDatabase: Bool { get }

  /// Does what needs no asynchronous call.
  ///
  /// - Returns: Nil when ``run(_:)`` is needed for an answer.
  func runAtOnce(_ run: Run) throws(CommandError) -> Answer?

  /// Does what was asked.
  func run(_ run: Run) async throws(CommandError) -> Answer
}

/// A command that works with the session of its context, and with the database.
protocol WorkspaceCommand: CommandBody {
  /// Whether the command ends no session, whatever it sees.
  var onlyLooks: Bool { get }

  func run(in workspace: Workspace) async throws(CommandError) -> Answer
}

extension WorkspaceCommand {
  var asksDatabase: Bool { true }
  var onlyLooks: Bool { false }

  func runAtOnce(_ run: Run) throws(CommandError) -> Answer? { nil }

  func run(_ run: Run) async throws(CommandError) -> Answer {
    try await self.run(in: run.workspace(onlyLooks: onlyLooks))
  }
}

/// A command that describes the program: it reads no file and uses no session.
protocol PlainCommand: CommandBody {
  func run(_ printer: Printer) throws(CommandError) -> Answer
}

extension PlainCommand {
  var asksDatabase: Bool { false }

  func runAtOnce(_ run: Run) throws(CommandError) -> Answer? { try self.run(run.printer) }

  func run(_ run: Run) async throws(CommandError) -> Answer { try self.run(run.printer) }
}

/// What a run gives to its command.
struct Run {
  let globals: GlobalOptions
  let printer: Printer
  let schemaTools: (any SchemaTools)?
  private let makeBackend: MakeBackend

  init(_ globals: GlobalOptions, _ makeBackend: @escaping MakeBackend, _ schemaTools: (any SchemaTools)?) {
    self.globals = globals
    self.schemaTools = schemaTools
    printer = Printer(globals)
    self.makeBackend = makeBackend
  }

  /// Makes what a command works with.
  func workspace(onlyLooks: Bool = false) throws(CommandError) -> Workspace {
    try Workspace(globals, printer, makeBackend, onlyLooks: onlyLooks)
  }
}
