import Glibc

/// Why a suite cannot be measured.
struct BenchError: Error {
  let message: String

  init(_ message: String) { self.message = message }

  /// A system call that failed.
  static func system(_ what: String, _ number: Int32 = errno) -> BenchError {
    BenchError("\(what): \(String(cString: strerror(number)))")
  }
}

/// A measurement whose work did not do what it should is no figure: the run ends.
func require<Value>(_ what: String, _ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    say("auth-bench: \(what): \(error)\n")
    exit(1)
  }
}
