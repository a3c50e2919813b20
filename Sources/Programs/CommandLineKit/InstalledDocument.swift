import Glibc

/// The documents that are installed with the program.
package enum InstalledDocument {
  /// The path of a document, such as `/usr/share/doc/PROGRAM/Article.md`.
  ///
  /// A program that is not installed has no documents beside it; then the path is relative to the
  /// directory of an installation.
  package static func path(_ name: String) -> String {
    let document = "share/doc/\(name)"
    guard let program = realpath("/proc/self/exe", nil) else { return document }
    defer { free(program) }
    let prefix = String(cString: program).split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    let installed = "\(prefix)/\(document)"
    return access(installed, R_OK) == 0 ? installed : document
  }
}
