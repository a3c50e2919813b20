import TextFormat

/// The reason why bytes are not valid in the protocol, or cannot be sent.
package enum WireFault: Error, Hashable, Sendable {
  /// A frame ends inside a value.
  case truncated
  /// A frame has bytes after its value.
  case trailing(bytes: Int)
  /// A text is not UTF-8.
  case notText
  /// A kind that this version does not know.
  case unknownTag(UInt8, of: String)
  /// A value that is not valid for its type.
  case invalid(String)
  /// A frame of no bytes, or of more than ``Frames/longest``.
  case frameLength(Int)
  /// The other side has another version of the protocol.
  case otherVersion(UInt16)
  /// A token of another database, which is not sent.
  case foreignToken(of: [UInt8])
}

extension WireFault: CustomStringConvertible {
  /// The words for kinds of values in messages to users.
  private static let words = [
    "ClientFrame": "message", "ServerFrame": "message", "Request": "request",
  ]

  /// What is wrong, as a clause.
  package var description: String {
    switch self {
    case .truncated: "a message ended too early"
    case .trailing(let count): "a message had \(count) bytes too many"
    case .notText: "a text was not UTF-8"
    case .unknownTag(let tag, let kind): "unknown \(Self.words[kind] ?? kind) \(tag)"
    case .invalid(let what): "not a valid \(what)"
    case .frameLength(let length): "a message of \(length) bytes; 1 to \(Frames.longest) are accepted"
    case .otherVersion(let version): "version \(version) of the protocol"
    case .foreignToken(let database): "a token of the database \(Hex.text(database))"
    }
  }
}
