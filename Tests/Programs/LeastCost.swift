import Glibc

/// The executables with a cheap password hash, for tests of everything else.
///
/// Package.swift says why they exist. The shipped program rehashes a password that they hashed, but
/// not the other way round. So use each home directory with only one kind of executable.
package enum LeastCost {
  /// A folder that contains them under the shipped names, for shells that find them by `PATH`, and
  /// for auth-cli, which starts its companion in the same folder.
  ///
  /// It is next to the test bundle and is created again in each test run, because a build replaces
  /// the executables.
  package static let folder: String = {
    let products = directory(of: "/proc/self/exe")
    let folder = products + "/least-cost"
    mkdir(folder, 0o755)
    for name in ["auth-cli", "auth-cli-postgres"] where access("\(products)/\(name)-least-cost", X_OK) == 0 {
      // Not a symbolic link, because the program looks for its companion in the directory of its
      // file.
      let made = "\(folder)/\(name).\(getpid())"
      guard link("\(products)/\(name)-least-cost", made) == 0, rename(made, "\(folder)/\(name)") == 0 else {
        preconditionFailure("\(made) cannot be linked: \(String(cString: strerror(errno)))")
      }
      // A rename between two names of one file leaves both, so remove this one.
      unlink(made)
    }
    return folder
  }()

  /// The path of auth-cli with a cheap hash.
  package static let executable = folder + "/auth-cli"

  private static func directory(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { preconditionFailure("\(path) cannot be resolved") }
    defer { free(resolved) }
    return String(cString: dirname(resolved))
  }
}
