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
    guard !text.utf8.contains(0) else { throw Self.invalid("it contains a NUL character") }
    // libpq takes a lone word for the name of a database, where a person has forgotten half of it.
    guard text.utf8.contains(UInt8(ascii: "=")) || text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    else {
      throw Self.invalid("it is neither a URI nor keyword=value pairs")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw Self.invalid(message.map { PostgresText.line($0) } ?? "it cannot be read")
    }
    defer { PQconninfoFree(options) }
    for option in PostgresText.options(options) where option.keyword == "password" || option.keyword == "sslpassword" {
      throw .invalid(
        "address_has_password", "AUTH_CLI_AUTHORITY contains a password, which other users of this machine could see.",
        hint: "Remove it from there, and put it into ~/.pgpass (mode 0600).")
    }
    self.text = text
  }

  private static func invalid(_ reason: String) -> BackendError {
    .invalid(
      "address_invalid", "AUTH_CLI_AUTHORITY does not name a database: \(reason).",
      hint: "Write it like postgresql://host/database, or service=NAME for a name in ~/.pg_service.conf.")
  }
}

/// What libpq says, in Swift.
enum PostgresText {
  /// The first line, printable, without its full stop.
  static func line(_ text: UnsafePointer<CChar>) -> String {
    let whole = String(cString: text)
    var lines: [Substring] = []
    for line in whole.split(separator: "\n") {
      let trimmed = line.drop { $0 == "\t" || $0 == " " }
      if !trimmed.isEmpty { lines.append(trimmed) }
    }
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
