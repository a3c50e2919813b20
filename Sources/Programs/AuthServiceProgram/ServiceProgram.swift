import AuthMessages
package import AuthRules
import AuthServer
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// One parsed command line of `auth-service`.
struct ServiceCommand: Sendable {
  /// The hint for a database without accounts.
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
      // The reason why a service does not start is among the errors of the journal.
      let mark = ServiceLog.mark(.err)
      let hint = error.hintForOperators(whereEmpty: whereEmpty)
      let lines = "\(mark)\(ServiceTool.name): \(error.message)\n\(mark)\(hint)\n"
      write(STDERR_FILENO, lines, lines.utf8.count)
      exit(error.status.rawValue)
    }
  }

  /// Runs the command line, and sets `whereEmpty` to the hint of its command.
  private func run(_ whereEmpty: inout String?) throws(CommandError) -> ExitStatus {
    // No core and no other process of the same user may read the passwords and tokens in it.
    guard cprocess_close_memory() == 0 else {
      throw CommandError(code: .memoryNotClosed, ErrorNumber.current.explanation)
    }
    guard let words = Word.programArguments() else { throw CommandError(code: .wordsUnreadable) }
    switch try ServiceTool.tool.parse(words, environment: Environment.word) {
    case .version: return try Output.write("\(ServiceTool.name) \(ServiceTool.tool.about.version)\n")
    case .help(let topic): return try ServiceHelpCommand.show(topic)
    case .request(let command, _):
      whereEmpty = command.whereEmpty
      return try command.run(self)
    }
  }
}

/// Writes to standard output.
enum Output {
  /// Writes the text, and returns that the command is done.
  @discardableResult
  static func write(_ text: String) throws(CommandError) -> ExitStatus {
    let error = writeAll(Array(text.utf8)[...], to: STDOUT_FILENO)
    guard error == 0 else { throw .unwritable("standard output", error) }
    return .done
  }
}
