/// A JSON value (RFC 8259).
///
/// Members keep their order.
package enum JSON: Hashable, Sendable {
  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSON
  }

  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  package static func string(orNull text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// An object with these members.
  package init(_ members: [(key: String, value: JSON)]) {
    self = .object(members.map { Member(name: $0.key, value: $0.value) })
  }

  /// An object with the members of two objects; a value of another kind has none.
  package static func + (first: JSON, second: JSON) -> JSON { .object(first.members + second.members) }

  private var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// A document of this program: an object on one line, without the line ending, with its format
  /// version as the first member.
  package static func document(_ members: JSON) -> String { (["version": 1] + members).text }

  /// The value as text, without blanks or line breaks.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .integer(let value): String(value)
    case .number(let value): value.isFinite ? String(value) : "null"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  /// Escapes the characters that JSON requires, and also those that act on a terminal or end a line
  /// for some readers, because people look at JSON in terminals.
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\", "\n", "\r", "\t": scalar.escaped(asASCII: true)
      case _ where scalar.isUnprintable:
        scalar.utf16.map { "\\u" + Hex.text([UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)]) }.joined()
      case _: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}
