package import AuthAccounts
import AuthCore
import CPostgres
import TextFormat

/// Where the database is, in libpq's words: a URI, or `keyword=value` pairs such as `service=NAME`.
package struct ServerAddress: Hashable, Sendable {
  /// The address as the caller gave it.
  package let text: String

  /// Creates an address that libpq can read, without a password.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` when libpq cannot read it, and when it holds a
  ///   password, which the list of processes and the history of the shell would show.
  package init(_ text: String) throws(BackendError) {
    guard !text.utf8.contains(0) else { throw .invalid(.databaseAddressInvalid, "it contains a NUL character") }
    // libpq takes a lone word for the name of a database, where a person has forgotten half of it.
    guard text.utf8.contains(UInt8(ascii: "=")) || text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    else { throw .invalid(.databaseAddressInvalid, "it is neither a URI nor keyword=value pairs") }
    // Otherwise libpq would read the start of a password with a slash as a port.
    guard text.prefixMatch(of: #/postgres(ql)?://[^?]*:[^?]*@/#) == nil else { throw .invalid(.addressHasPassword) }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw .invalid(
        .databaseAddressInvalid,
        message.flatMap { PostgresText.reason(String(cString: $0), about: text) } ?? "it cannot be read")
    }
    let given = PostgresText.options(options)
    guard given["password"] == nil, given["sslpassword"] == nil else { throw .invalid(.addressHasPassword) }
    self.text = text
  }
}

/// Texts and options of libpq in Swift.
enum PostgresText {
  /// The lines as one, printable, without its full stop.
  static func line(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }
    let joined = lines.filter { !$0.isEmpty }.joined(separator: "; ").escaped
    return joined.last == "." ? String(joined.dropLast()) : joined
  }

  /// The reason why an address cannot be read, with only the names of its options, because a value
  /// may be a secret; nil if it is not clear what the reason quotes.
  static func reason(_ message: String, about address: String) -> String? {
    if address.contains("\"") { return nil }
    let parts = line(message).split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      index.isMultiple(of: 2) || part.count == 1 || address.contains("\(part)=") ? part : "…"
    }.joined(separator: "\"")
  }

  /// The same of a verbose message, without the place in the server's source, and its SQLSTATE.
  static func refusal(_ message: UnsafePointer<CChar>) -> (message: String, state: String?) {
    var text = String(cString: message).replacing(/\n\s*LOCATION:.*/, with: "")
    // "FATAL:  53300: sorry, too many clients already", after the name of the server.
    guard let match = text.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else { return (line(text), nil) }
    let state = String(match.1)
    text.replaceSubrange(match.range, with: ":  ")
    return (line(text), state)
  }

  /// The options that have a value; frees the list.
  static func options(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
    defer { PQconninfoFree(list) }
    var found: [String: String] = [:]
    var next = list
    while let option = next?.pointee, let keyword = option.keyword {
      if let value = option.val, value.pointee != 0 { found[String(cString: keyword)] = String(cString: value) }
      next? += 1
    }
    return found
  }
}
