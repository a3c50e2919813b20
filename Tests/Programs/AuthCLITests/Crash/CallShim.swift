import Foundation
import Programs
import Terminals

/// The library that logs the writing calls of an executable and kills it at one, built from
/// `fixtures/kill-at-call.c`.
///
/// It needs only the C compiler that comes with Swift, and no right to trace; and a dynamic
/// executable, which the debug build is.
final class CallShim: Sendable {
  private let scratch: ShortFolder
  private let library: String

  /// The one of this test run.
  static let shared = Task { try await CallShim() }

  private init() async throws {
    scratch = ShortFolder()
    library = try await Self.compile("kill-at-call.c", into: scratch)
  }

  /// Compiles a C file of `fixtures/` to a library for LD_PRELOAD.
  ///
  /// - Returns: The path of the library.
  static func compile(_ name: String, into folder: ShortFolder) async throws -> String {
    let library = "\(folder.path)/\(name).so"
    let compile = """
      compiler=$(dirname "$(readlink -f "$(command -v swift)")")/clang
      [ -x "$compiler" ] || compiler=cc
      exec "$compiler" -shared -fPIC -O1 -o '\(library)' '\(BuiltExecutable.repository)/fixtures/\(name)' -ldl
      """
    let outcome = try await Program("sh", ["-c", compile], timeLimit: .seconds(120)).run()
    guard outcome.ending == .exited(0) else {
      throw PseudoTerminal.Failure(description: "the C compiler \(outcome.ending): \(outcome.text)")
    }
    return library
  }

  /// A run under the shim.
  struct Run {
    let outcome: ProgramOutcome
    /// The calls that were begun.
    let calls: [WritingCall]
  }

  /// Runs the executable of `home`, to its end or to the point where it is killed, with one call
  /// that fails or none.
  ///
  /// - Parameters:
  ///   - line: Its command line.
  ///   - input: Its standard input.
  ///   - home: Where it keeps what it keeps.
  ///   - point: Where it is killed.
  ///   - call: The call that fails.
  ///   - isAmongLike: Whether the number of that call is its place among its like, and not among
  ///     all calls.
  ///   - lockError: With what every lock on a file fails; nil for none.
  /// - Returns: What came of it.
  /// - Throws: What kept it from being run.
  func run(
    _ line: String, input: String = "", in home: CommandHome, killedAt point: KillPoint? = nil,
    failing call: WritingCall? = nil, amongLike isAmongLike: Bool = false, lockError: Int32? = nil
  ) async throws -> Run {
    let log = home.file("calls")
    var variables = ["LD_PRELOAD": library, "CALL_LOG": log]
    if let point {
      variables["KILL_AT"] = String(point.call.number)
      if point.isTorn { variables["KILL_TORN"] = "1" }
    }
    if let call {
      variables["FAIL_AT"] = String(call.number)
      if isAmongLike { variables["FAIL_CALL"] = call.description }
    }
    if let lockError { variables["FAIL_LOCK"] = String(lockError) }
    let outcome = try await home.run(line, input: input, adding: variables)
    return Run(outcome: outcome, calls: WritingCall.parse(try String(contentsOfFile: log, encoding: .utf8)))
  }
}
