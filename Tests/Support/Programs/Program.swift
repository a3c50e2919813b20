import Dispatch
import Glibc

/// Runs another program until it ends or reaches its time limit, with standard output and standard
/// error in one stream.
///
/// At the time limit its whole process group is killed. At most ``places`` children run at a time,
/// for most of them wait a lot; a wait for a place does not count towards the time limit.
package struct Program: Sendable {
  private let command: [String]
  private let environment: [String: String]
  private let input: [UInt8]
  private let timeLimit: Duration

  /// - Parameters:
  ///   - program: A path, or a name that `PATH` finds.
  ///   - arguments: Its arguments.
  ///   - environment: Its variables.
  ///   - workingDirectory: Where it runs.
  ///   - input: Its standard input.
  ///   - timeLimit: From the start of the program.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String] = Program.inheritedEnvironment,
    workingDirectory: String = ".", input: [UInt8] = [], timeLimit: Duration
  ) {
    // The file action of posix_spawn that changes the directory is declared only for GNU C.
    command = ["env", "-C", workingDirectory, program] + arguments
    (self.environment, self.input, self.timeLimit) = (environment, input, timeLimit)
  }

  private static let places = DispatchSemaphore(value: 6 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// Runs the program and returns how it ended and what it printed.
  ///
  /// - Throws: `SpawnError` when the system has no process or descriptor left. A program that fails
  ///   or does not exist (status 127) is not an error.
  package func run() async throws -> ProgramOutcome {
    try await withCheckedThrowingContinuation { continuation in
      // A queue of its own has a thread of its own.
      DispatchQueue(label: command[3]).async {
        Self.places.wait()
        let result = Result { () throws(SpawnError) in try runBlocking() }
        Self.places.signal()
        continuation.resume(with: result)
      }
    }
  }

  /// The environment of the test process.
  package static let inheritedEnvironment: [String: String] = {
    var (variables, next) = ([String: String](), environ)
    while let variable = next.pointee {
      let parts = String(cString: variable).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }()

  /// The same on the calling thread, without waiting for a free core.
  package func runBlocking() throws(SpawnError) -> ProgramOutcome {
    // A file, which no child can leave full or end too early, and which no other child inherits.
    let name = "/tmp/input-\(UInt64.random(in: 0 ... .max))"
    guard let file = fopen(name, "w+xe") else { throw SpawnError(program: name, errno: errno) }
    unlink(name)
    defer { fclose(file) }
    fwrite(input, 1, input.count, file)
    rewind(file)
    let child = try Child(command, environment: environment, input: fileno(file), joinsErrors: true)
    let (output, isComplete) = Self.read(child.output, until: .now + timeLimit)
    if !isComplete { kill(-child.id, SIGKILL) }
    let status = child.wait()
    let signal = status & 0x7f
    let ending: ProgramOutcome.Ending = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    return ProgramOutcome(ending: isComplete ? ending : .killedAtTimeLimit, output: output)
  }

  /// Reads until the end or the deadline, and closes the descriptor.
  private static func read(
    _ descriptor: Int32, until deadline: ContinuousClock.Instant
  ) -> (output: [UInt8], isComplete: Bool) {
    defer { close(descriptor) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let left = deadline - .now
      guard left > .zero else { return (output, false) }
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
      guard poll(&event, 1, Int32(clamping: milliseconds + 1)) > 0 else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return (output, true) }
      if count > 0 { output += buffer[..<count] }
    }
  }
}

/// The exit status and the output of a child.
package struct ProgramOutcome: Equatable, Sendable {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case killedAtTimeLimit
  }

  package let ending: Ending
  package let output: [UInt8]

  /// The output as text; bytes that are not UTF-8 become replacement characters.
  package var text: String { String(decoding: output, as: UTF8.self) }
}
