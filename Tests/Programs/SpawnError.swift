import Glibc

/// A program that could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  package var program: String
  package var errno: Int32

  package var description: String { "cannot run '\(program)': \(String(cString: strerror(errno)))" }
}
