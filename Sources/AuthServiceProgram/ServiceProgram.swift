package import AuthBackend
import AuthMessages
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// What one command line of `auth-service` asks for.
struct ServiceCommand: Sendable {
  /// What to do where its database has no accounts.
  var whereEmpty: String?
  let run: @Sendable (ServiceProgram) throws(CommandError) -> ExitStatus
}

/// One run of `auth-service`.
package struct ServiceProgram: Sendable {
  /// The cost of a password's hash.
  let cost: PasswordCost

  package init(cost: PasswordCost = .standard) {
    self.cost = cost
  }

  /// Runs the command line of this process, and ends the process with its status.
  package func main() -> Never {
    StandardDescriptors.occupyClosed()
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    var whereEmpty: String?
    do throws(CommandError) {
      exit(try run(&whereEmpty).rawValue)
    } catch {
      let lines = "\(ServiceTool.name): \(error.message)\n\(error.hintForOperators(whereEmpty: whereEmpty))\n"
      write(STDERR_FILENO, lines, lines.utf8.count)
      exit(error.status.rawValue)
    }
  }

  /// Sets `whereEmpty` to that of its command.
  private func run(_ whereEmpty: inout String?) throws(CommandError) -> ExitStatus {
    // No core and no other process of the same user may read the passwords and tokens in it.
    guard cprocess_close_memory() == 0 else {
      throw CommandError(code: .memoryNotClosed, ErrorNumber.current.explanation)
    }
    guard let words = Word.programArguments() else { throw CommandError(code: .wordsUnreadable) }
    switch try explained({ () throws(UsageError) in
      try ServiceTool.tool.parse(words, environment: Environment.word)
    }) {
    case .version: return try Output.write("\(ServiceTool.name) \(ServiceTool.tool.about.version)\n")
    case .help(let topic): return try ServiceHelpCommand.show(topic)
    case .request(let command, _):
      whereEmpty = command.whereEmpty
      return try command.run(self)
    }
  }
}

/// Standard output.
enum Output {
  /// - Returns: That the command is done.
  @discardableResult
  static func write(_ text: String) throws(CommandError) -> ExitStatus {
    let error = writeAll(Array(text.utf8)[...], to: STDOUT_FILENO)
    guard error == 0 else { throw CommandError(OutputError.unwritable(stream: "standard output", errno: error)) }
    return .done
  }
}
