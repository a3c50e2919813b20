package import AuthBackend
import AuthService
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// What one command line of `auth-service` asks for.
protocol ServiceCommand: Sendable {
  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit
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
    do throws(ServiceError) {
      exit(try run().rawValue)
    } catch {
      let lines = "\(ServiceTool.name): \(error.message)\n\(error.hint)\n"
      write(STDERR_FILENO, lines, lines.utf8.count)
      exit(error.status.rawValue)
    }
  }

  private func run() throws(ServiceError) -> ServiceExit {
    // No core and no other process of the same user may read the passwords and tokens in it.
    guard cprocess_close_memory() == 0 else {
      throw ServiceError(
        .cannotTell, "the memory of this process cannot be closed to others: \(ErrorNumber.current.explanation)",
        hint: "Allow the calls prctl and setrlimit where this program runs.")
    }
    let line: Parser<any ServiceCommand>.ParseResult
    let help: String
    do throws(UsageError) {
      line = try Parser(ServiceTool.tool).parse(Word.programArguments(), environment: Environment.word)
      if case .help(let topic) = line { help = try Help(ServiceTool.tool, width: 100).page(topic) } else { help = "" }
    } catch {
      throw ServiceError(error)
    }
    switch line {
    case .version: try Output.write("\(ServiceTool.name) \(ServiceTool.tool.about.version)\n")
    case .help: try Output.write(help)
    case .request(let command, _): return try command.run(in: self)
    }
    return .done
  }
}

/// Standard output, and other descriptors that take bytes.
enum Output {
  static func write(_ text: String) throws(ServiceError) {
    guard write(Array(text.utf8)[...], to: STDOUT_FILENO) else {
      throw ServiceError(
        .cannotTell, "standard output cannot be written: \(ErrorNumber.current.explanation)",
        hint: "Check where it goes.")
    }
  }

  /// Writes all bytes.
  ///
  /// - Returns: False when the descriptor takes no more, with the reason in `errno`.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || !isToBeRepeated(descriptor, POLLOUT) {
        return false
      }
    }
    return true
  }

  /// Whether a call that failed may succeed now; it waits for a descriptor that does not block.
  static func isToBeRepeated(_ descriptor: Int32, _ event: Int32) -> Bool {
    guard errno == EAGAIN else { return errno == EINTR }
    var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&polled, 1, -1) >= 0 || errno == EINTR
  }
}
