import Glibc

/// auth-cli with a cheap password hash, for tests of everything else.
///
/// Package.swift says why it exists. The shipped program rehashes a password that this one hashed,
/// but not the other way round. So use each home directory with only one of the two.
package enum LeastCost {
  /// The directory of the test bundle, with the built executables in it.
  package static let products: String = {
    guard let name = realpath("/proc/self/exe", nil) else { preconditionFailure("/proc is not mounted") }
    defer { free(name) }
    return String(cString: dirname(name))
  }()

  /// A folder that contains it under the shipped name, for shells that find it by `PATH`.
  ///
  /// It is next to the test bundle and is created again in each test run, because a build replaces
  /// the executable.
  private static let folder: String = {
    let folder = products + "/least-cost"
    mkdir(folder, 0o755)
    // Not a symbolic link, because `sessions` shows the name of the file.
    let made = "\(folder)/auth-cli.\(getpid())"
    guard link(products + "/auth-cli-least-cost", made) == 0, rename(made, folder + "/auth-cli") == 0 else {
      preconditionFailure("\(made) cannot be linked: \(String(cString: strerror(errno)))")
    }
    // A rename between two names of one file leaves both, so remove this one.
    unlink(made)
    return folder
  }()

  /// The path of auth-cli with a cheap hash.
  package static let executable = folder + "/auth-cli"
}
