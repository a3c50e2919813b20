import Glibc

/// The source tree of these tests.
package enum SourceTree {
  /// Its root.
  package static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

  /// The folder of a target, as a path relative to the root.
  package static func folder(of target: String) -> String {
    let floors = ["Sources", "Tests"].flatMap { top in
      ["Library", "Accounts", "Programs", "System", "Support"].map { "\(top)/\($0)" }
    }
    let folders = floors.map { "\($0)/\(target)" }
    return folders.first { access("\(root)/\($0)", F_OK) == 0 } ?? "no folder of \(target)"
  }
}
