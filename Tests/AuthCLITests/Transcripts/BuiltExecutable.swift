import Glibc
import Programs

/// The `auth-cli` under test, and the repository it was built from.
enum BuiltExecutable {
  /// `AUTH_CLI` when set, so that a release executable is tested by the same files; else the one
  /// beside the test bundle.
  static let path: String = Program.inheritedEnvironment["AUTH_CLI"] ?? debug

  /// The dynamic executable beside the test bundle, whose calls can be intercepted.
  static let debug = directory(of: canonical("/proc/self/exe")) + "/auth-cli"

  /// The top of the repository.
  static let repository = directory(of: directory(of: directory(of: directory(of: #filePath))))

  private static func canonical(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func directory(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
