import Glibc

/// The extent of long tests: a sample in `make test`, all cases in `make test-all`.
package enum Effort {
  package static let isComplete = getenv("TEST_ALL") != nil

  /// A number that an environment variable sets, such as a count of rounds.
  package static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }

  /// All cases; in `make test` only `count` of them, evenly spread.
  package static func sample<Case>(_ cases: [Case], _ count: Int) -> [Case] {
    if isComplete || cases.count <= count { return cases }
    return (0..<count).map { cases[$0 * cases.count / count] }
  }
}
