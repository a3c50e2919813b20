/// The source tree of these tests.
package enum SourceTree {
  /// Its root.
  package static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
}
