import Glibc

/// How much of a long test is run: a sample in `make test`, all that is here in `make test-all`.
package enum Effort {
  package static let isComplete = getenv("TEST_ALL") != nil

  /// All cases, or so many of them in `make test`, evenly spread.
  package static func sample<Case>(_ cases: [Case], _ count: Int) -> [Case] {
    if isComplete || cases.count <= count { return cases }
    return (0..<count).map { cases[$0 * cases.count / count] }
  }
}
