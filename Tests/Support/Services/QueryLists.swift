import AuthRules
import Foundation
import Programs

/// The statements of each list of the rule book, and those that erase an account.
///
/// Every `enum NAME: String, Query` in the sources of AuthRules is a list.
package let queryLists: [(name: String, statements: [String])] = {
  queryListNames(in: "AuthRules").map { name in
    let type = _typeByName("9AuthRules\(name.count)\(name)O")
    guard let list = type as? any Query.Type else {
      preconditionFailure("\(name) is not a package enum on the top level")
    }
    return (name, statements(of: list))
  } + [("Erasure", Schema.tables.compactMap(\.erasure))]
}()

private func statements<Q: Query>(of _: Q.Type) -> [String] { Q.allCases.map(\.sql) }

/// The names of the lists of statements in the sources of a module.
package func queryListNames(in module: String) -> [String] {
  let sources = "\(SourceTree.root)/\(SourceTree.folder(of: module))/"
  let paths = FileManager.default.subpaths(atPath: sources)?.filter { $0.hasSuffix(".swift") } ?? []
  return paths.sorted().flatMap { path in
    (try? String(contentsOfFile: sources + path, encoding: .utf8))?
      .matches(of: /enum (\w+): (?:\w+, )*Query\b/).map { String($0.output.1) } ?? []
  }
}
