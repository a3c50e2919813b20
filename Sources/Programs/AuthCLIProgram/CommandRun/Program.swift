package import AuthAccounts
import AuthMessages
import AuthOAuth
import AuthService
import CProcess
import CommandLineKit
import Glibc
import Synchronization
import TextFormat

/// Creates the backend of a run, from the directories on this machine and the label of new
/// sessions.
package struct MakeBackend: Sendable {
  package typealias Body = @Sendable (_ directories: Directories, _ label: String) throws(BackendError) -> any Backend

  private let body: Body
  /// Whether the backend is for the prompt of a shell or for completions; see
  /// ``Directories/isForShell``.
  private(set) var isForShell = false

  init(_ body: @escaping Body) { self.body = body }

  func callAsFunction(_ directories: Directories, _ label: String) throws(BackendError) -> any Backend {
    var directories = directories
    directories.isForShell = isForShell
    return try body(directories, label)
  }

  /// The same for the prompt of a shell or for completions.
  var forShell: MakeBackend {
    var copy = self
    copy.isForShell = true
    return copy
  }
}

/// One run of `auth-cli`: parses the command line, runs the command and prints its answer.
///
/// Not an asynchronous main: starting one costs a short run more than its work, and its first
/// suspension costs a static executable about 5 ms.
package struct Program: Sendable {
  let makeBackend: MakeBackend

  /// Creates the program over the embedded backend, or over the service that AUTH_CLI_AUTHORITY
  /// names.
  package init(_ makeEmbedded: @escaping MakeBackend.Body) {
    makeBackend = MakeBackend { directories, label throws(BackendError) in
      guard let service = directories.service else { return try makeEmbedded(directories, label) }
      let address = try ServiceAddress(service)
      let limits = directories.isForShell ? .hurried(at: address) : ClientLimits()
      return ServiceAuthority(address, limits: limits, label: label, origin: OwnOrigin.find)
    }
  }

  /// Runs the command line of this process, and ends the process with its status.
  package func main() -> Never {
    StandardDescriptors.occupyClosed()
    // New files are private from the start, so that a crash before their mode is set leaves nothing
    // to repair.
    Self.inheritedMask.store(umask(0o077), ordering: .relaxed)
    // A file that reaches its size limit must be reported as a failed write, not kill the process.
    signal(SIGXFSZ, SIG_IGN)
    let words = Word.programArguments()
    do throws(CommandError) {
      // Closes its memory, which holds passwords and tokens, to other processes of the same user,
      // and keeps it out of core files, as ssh-agent does. It holds for this process until its end,
      // and a program that it starts is open again. A sandbox may not allow it. Source: prctl(2),
      // `PR_SET_DUMPABLE`; core(5); ptrace(2), "Ptrace access mode checking".
      guard cprocess_close_memory() == 0 else {
        throw CommandError(code: .memoryNotClosed, ErrorNumber.current.explanation)
      }
      guard let words else { throw CommandError(code: .wordsUnreadable) }
      if words.count == 1, words[0].isQuestionOfGit { throw CommandError(code: .calledAsAskpass) }
      switch try AuthTool.tool.parse(words, environment: Environment.word) {
      case .version:
        let version = AuthTool.tool.name + " " + Release.version
        let answer = CommandResult(.onlyShows, text: version + "\n", ["program": .string(version)])
        exit(output(for: words).print(answer).rawValue)
      case .help(let topic):
        let output = output(for: words)
        let isBrief = topic.isEmpty && !words.contains { $0.isSpelled("--help") || $0.isSpelled("-h") }
        exit(output.print(try HelpCommand.page(topic, for: output, isBrief: isBrief)).rawValue)
      case .request(let body, let parsed): wait(for: body, parsed)
      }
    } catch {
      let words = words ?? []
      let error = error.meaningResource(words)
      let status = output(for: words).refuse(error)
      if words.first?.isSpelled("mcp") == true { BridgeRefusal.respond(with: error) }
      exit(status.rawValue)
    }
  }

  private static let inheritedMask = Atomic<mode_t>(0o022)

  /// Restores what ``main()`` changed, for a program that takes the place of this one.
  static func restoreInherited() {
    umask(inheritedMask.load(ordering: .relaxed))
    signal(SIGXFSZ, SIG_DFL)
  }

  /// Runs the command on this thread until it suspends, and then on others while this one waits.
  // Not inlined, or every run would begin with looking up types of the concurrency runtime.
  @inline(never)
  private func wait(for body: CommandBody, _ words: ParsedWords) -> Never {
    // Without a value, as the tasks of the full-screen program: one copy of the start serves both.
    Task.immediateDetached { () async -> Void in exit(declared(await finish(body, words), words.path).rawValue) }
    while true { pause() }
  }

  /// The output for a line that is not understood, or is no command.
  private func output(for words: [Word]) -> CommandOutput {
    CommandOutput(
      streams: Streams.standard(noColor: AuthTool.tool.mentions(Options.noColor, in: words)),
      asJSON: AuthTool.tool.mentions(Options.json, in: words), isQuiet: false)
  }

  private func finish(_ body: CommandBody, _ words: ParsedWords) async -> ExitStatus {
    let output = CommandOutput(words)
    if words[Options.verbose] { ProviderTransport.isListing = true }
    do throws(CommandError) {
      return output.print(try await body.run(words, output, makeBackend))
    } catch {
      return output.refuse(error)
    }
  }

  /// The status with which a command ends the run.
  ///
  /// A debug build stops at one that the declaration of the command does not list, so that every
  /// test that runs the program looks for it.
  private func declared(_ status: ExitStatus, _ path: [String]) -> ExitStatus {
    assert(
      AuthTool.tool.find(path.dropFirst().map { Word($0) }).location
        .map { AuthTool.tool.statuses(of: $0.command).contains(status.rawValue) } == true,
      "\(path) ended with status \(status.rawValue), which its declaration does not list")
    return status
  }
}

extension CommandError {
  /// The error with a hint for a line such as `status https://mcp.example.com/mcp`.
  fileprivate func meaningResource(_ words: [Word]) -> CommandError {
    let commands = ["login", "logout", "status", "token", "require", "home", "profile"]
    guard status == .usage, let command = words.first?.text, commands.contains(command),
      let index = words.lastIndex(where: { $0.text.map { ResourceAddress($0) != nil } ?? false }),
      let address = words[index].text, !Self.takesAddress(words[index - 1])
    else { return self }
    return withHint("For the login at a resource: \(run: command, "--resource", address)")
  }

  /// Whether this option has an address as its value.
  private static func takesAddress(_ word: Word) -> Bool {
    ["--resource", "--provider", "--client-id", "--parameter", "--redirect-uri"].contains(word.text)
  }
}

extension Word {
  /// Whether git asks this of the program that GIT_ASKPASS names (gitcredentials(7)):
  /// `Password for 'https://git.example.com': `.
  fileprivate var isQuestionOfGit: Bool {
    guard let text, text.hasSuffix(": ") else { return false }
    return text.hasPrefix("Username") || text.hasPrefix("Password")
  }
}
