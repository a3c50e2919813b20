import AuthDevice
import CommandLineKit
import Glibc
import TextFormat

/// A new file in the home directory for codes that are shown once.
enum CodesFile {
  /// Writes the codes durably to a file that only this user can read, and never to an existing one.
  ///
  /// - Parameters:
  ///   - text: What the file contains.
  ///   - name: The name of the file, without its suffix; a number makes it new.
  ///   - home: The directory; nil if there is no home directory.
  /// - Returns: The path of the file.
  static func write(_ text: String, as name: String, in home: String? = home) -> Result<String, FileError> {
    Result { () throws(FileError) in
      guard let home else { throw FileError.system("HOME", "names no directory", ErrorNumber(ENOENT)) }
      guard let directory = try OpenDirectory(at: home, followingLinks: true) else {
        throw FileError.system(home, "cannot be opened", ErrorNumber(ENOENT))
      }
      // With the HOME of another user, as after su, the file would be in that user's directory.
      try directory.facts().requireOwn(.directory)
      var (number, file) = (1, name + ".txt")
      while try directory.facts(of: file) != nil {
        number += 1
        file = "\(name)-\(number).txt"
      }
      try directory.create(file, with: Array(text.utf8))
      try directory.synchronize()
      return directory.file(file)
    }
  }

  /// The home directory, which may not be the working directory: others may read that.
  private static var home: String? { Environment.value("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } }
}
