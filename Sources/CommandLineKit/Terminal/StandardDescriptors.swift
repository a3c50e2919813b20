import Glibc

/// Descriptors 0, 1 and 2, which a process may be started without.
package enum StandardDescriptors {
  /// Occupies each of the three that is closed, so that no file opened later becomes one of them
  /// and gets the output.
  ///
  /// To be called before anything is opened. The replacement can neither be read nor written
  /// (`EBADF`), just as the closed descriptor, so that the loss of output is noticed as before.
  package static func occupyClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is this one, because those below it are taken.
      _ = open("/", pathOnly)
    }
  }

  /// `O_PATH` of <fcntl.h>, which the importer leaves out: the descriptor only names a place, here
  /// the root.
  private static let pathOnly: Int32 = 0o10_000_000
}
