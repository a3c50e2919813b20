import Glibc

/// The executables with the least cost of a password, for tests of all else.
///
/// Package.swift says why they exist. A password that they hashed is hashed anew when the shipped
/// program checks it, and the other way round it is not. So a home is used with executables of one
/// kind alone.
package enum LeastCost {
  /// A folder that has them under the names of the shipped ones, for shells that find them by `PATH`
  /// and for auth-cli, which hands over to the companion beside it.
  ///
  /// It lies beside the test bundle and is made again in each test run, because a build replaces the
  /// executables.
  package static let folder: String = {
    let products = directory(of: "/proc/self/exe")
    let folder = products + "/least-cost"
    mkdir(folder, 0o755)
    for name in ["auth-cli", "auth-cli-postgres"] where access("\(products)/\(name)-least-cost", X_OK) == 0 {
      // Not a symbolic link: the program looks for its companion where its file is.
      let made = "\(folder)/\(name).\(getpid())"
      guard link("\(products)/\(name)-least-cost", made) == 0, rename(made, "\(folder)/\(name)") == 0 else {
        preconditionFailure("\(made) cannot be linked: \(String(cString: strerror(errno)))")
      }
      // Two names of one file are both left by a rename.
      unlink(made)
    }
    return folder
  }()

  /// The path of auth-cli with the least cost.
  package static let executable = folder + "/auth-cli"

  private static func directory(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { preconditionFailure("\(path) cannot be resolved") }
    defer { free(resolved) }
    return String(cString: dirname(resolved))
  }
}
