package import AuthBackend
import AuthCore
import CPostgres
import TextFormat

/// Where the database is, in libpq's words: a URI, or `keyword=value` pairs such as `service=NAME`.
package struct ServerAddress: Hashable, Sendable {
  /// As it was given.
  package let text: String

  /// Checks the form.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` when libpq cannot read it, and when it holds a
  ///   password, which the list of processes and the history of the shell would show.
  package init(_ text: String) throws(BackendError) {
    guard !text.utf8.contains(0) else { throw .invalid(.databaseAddressInvalid, "it contains a NUL character") }
    // libpq takes a lone word for the name of a database, where a person has forgotten half of it.
    guard text.utf8.contains(UInt8(ascii: "=")) || text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    else { throw .invalid(.databaseAddressInvalid, "it is neither a URI nor keyword=value pairs") }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw .invalid(.databaseAddressInvalid, message.map { PostgresText.line($0) } ?? "it cannot be read")
    }
    defer { PQconninfoFree(options) }
    for option in PostgresText.options(options) where option.keyword == "password" || option.keyword == "sslpassword" {
      throw .invalid(.addressHasPassword)
    }
    self.text = text
  }
}

/// What libpq says, in Swift.
enum PostgresText {
  /// The lines as one, printable, without its full stop.
  static func line(_ text: UnsafePointer<CChar>) -> String { line(lines(text)) }

  /// The same of a verbose message, without the place in the server's source, and its SQLSTATE.
  static func refusal(_ text: UnsafePointer<CChar>) -> (message: String, state: String?) {
    var lines = lines(text).filter { !$0.hasPrefix("LOCATION:") }
    // "FATAL:  53300: sorry, too many clients already", after the name of the server.
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)
      for start in bytes.indices.dropLast(9)
      where bytes[start...].starts(with: ":  ".utf8) && bytes[(start + 8)...].starts(with: ": ".utf8) {
        let state = bytes[(start + 3)..<(start + 8)]
        guard state.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else { continue }
        let rest = bytes[..<(start + 3)] + bytes[(start + 10)...]
        lines[index] = String(decoding: rest, as: UTF8.self)[...]
        return (self.line(lines), String(decoding: state, as: UTF8.self))
      }
    }
    return (self.line(lines), nil)
  }

  private static func lines(_ text: UnsafePointer<CChar>) -> [Substring] {
    String(cString: text).split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }.filter { !$0.isEmpty }
  }

  private static func line(_ lines: [Substring]) -> String {
    let joined = lines.joined(separator: "; ").escaped
    return joined.last == "." ? String(joined.dropLast()) : joined
  }

  /// The options that have a value.
  static func options(_ first: UnsafeMutablePointer<PQconninfoOption>) -> [(keyword: String, value: String)] {
    var found: [(keyword: String, value: String)] = []
    var next = first
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val, value.pointee != 0 {
        found.append((String(cString: keyword), String(cString: value)))
      }
      next += 1
    }
    return found
  }
}
