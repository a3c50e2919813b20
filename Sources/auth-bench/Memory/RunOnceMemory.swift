import AuthCore
import Guards

/// What `RunOnce` keeps in memory, measured in a process of its own: in one that did much before,
/// what is needed was there already.
enum RunOnceMemory {
  static let living = 100_000
  static let passing = 1_000_000

  private final class Visited: RunsOnce {}

  /// Prints by how many bytes a crowd of the living grows the process, and by how many more those
  /// do that come and go beside it.
  static func run() -> Int32 {
    let start = Resident.own
    let alive = (0..<living).map { _ in Visited() }
    for object in alive { object.runOnce { keep(1) } }
    let middle = Resident.own
    for _ in 0..<passing { Visited().runOnce { keep(1) } }
    let end = Resident.own
    keep(alive)
    print(middle - start, max(end - middle, 0))
    return 0
  }

  /// The two numbers, from such a process.
  static func measure(in directory: BenchDirectory) throws -> (living: Double, passing: Double) {
    let said = try ChildProcess(path: BenchTools.own, arguments: ["--run-once-memory"]).read(in: directory)
    let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 2 else { throw BenchError("the process said \"\(said)\"") }
    return (numbers[0], numbers[1])
  }
}
