import TextFormat

/// A JSON value as it was received: only what is asked for is decoded, and the rest stays byte for
/// byte as it is.
struct JSONText {
  /// The bytes of the value, without blanks around it.
  let bytes: ArraySlice<UInt8>

  /// Checks that the bytes are one JSON value; nil if they are not.
  ///
  /// Numbers and escapes in strings are not checked.
  init?(_ bytes: [UInt8]) {
    let range = bytes.withUnsafeBufferPointer { (all) -> Range<Int>? in
      var reader = JSONSkipper(bytes: all)
      reader.skipBlanks()
      let start = reader.position
      guard reader.skipValue(depth: 512) else { return nil }
      let end = reader.position
      reader.skipBlanks()
      return reader.position == all.count ? start..<end : nil
    }
    guard let range else { return nil }
    self.bytes = bytes[range]
  }

  private init(checked bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  private var first: Unicode.Scalar { bytes.first.map { Unicode.Scalar($0) } ?? " " }
  var isObject: Bool { first == "{" }
  var isArray: Bool { first == "[" }

  /// The decoded value; nil for one that another reader could read differently.
  var value: JSON? { JSON(parsing: Array(bytes), depth: 128) }

  /// The text of a string; nil for any other value.
  var string: String? {
    guard first == "\"", case .string(let text)? = value else { return nil }
    return text
  }

  /// The members of an object, in their order; none for another value.
  var members: [(name: String, value: JSONText)] {
    guard isObject else { return [] }
    return parts().compactMap { part in
      part.name.flatMap { name in JSONText(checked: name).string }.map { ($0, part.value) }
    }
  }

  /// The elements of an array; none for another value.
  var elements: [JSONText] { isArray ? parts().map(\.value) : [] }

  /// The member with this name, at any depth of a path.
  subscript(path: String...) -> JSONText? { self[path: path] }

  subscript(path path: some Sequence<String>) -> JSONText? {
    path.reduce(self) { (value: JSONText?, name) in value?.members.last { $0.name == name }?.value }
  }

  private func parts() -> [(name: ArraySlice<UInt8>?, value: JSONText)] {
    let ranges = bytes.withUnsafeBufferPointer { (all) -> [(name: Range<Int>?, value: Range<Int>)] in
      var reader = JSONSkipper(bytes: all)
      var ranges: [(name: Range<Int>?, value: Range<Int>)] = []
      // The whole was checked when it was received.
      _ = reader.skipList(depth: 512) { ranges.append(($0, $1)) }
      return ranges
    }
    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
      bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
    }
    return ranges.map { ($0.name.map(slice), JSONText(checked: slice($0.value))) }
  }
}

/// Finds the end of JSON values.
private struct JSONSkipper {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0

  private var next: Unicode.Scalar? { position < bytes.count ? Unicode.Scalar(bytes[position]) : nil }

  mutating func skipBlanks() {
    while let sign = next, sign == " " || sign == "\t" || sign == "\n" || sign == "\r" { position += 1 }
  }

  /// Skips a value, and returns whether there is one.
  mutating func skipValue(depth: Int) -> Bool {
    switch next {
    case "{", "[": return skipList(depth: depth)
    case "\"": return skipString()
    case _:
      let start = position
      while let sign = next, sign.properties.isASCIIHexDigit || "+-.aeflnrstuE".unicodeScalars.contains(sign) {
        position += 1
      }
      return JSON(parsing: Array(bytes[start..<position])) != nil
    }
  }

  private mutating func skipString() -> Bool {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        position += 1
        return true
      }
      if byte < 0x20 { return false }
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  /// Skips an object or an array, and hands over the places of its parts.
  mutating func skipList(depth: Int, _ part: ((_ name: Range<Int>?, _ value: Range<Int>) -> Void)? = nil) -> Bool {
    guard depth > 0, let open = next else { return false }
    let close: Unicode.Scalar = open == "{" ? "}" : "]"
    position += 1
    skipBlanks()
    if take(close) { return true }
    repeat {
      skipBlanks()
      var name: Range<Int>?
      if open == "{" {
        let start = position
        guard next == "\"", skipString() else { return false }
        name = start..<position
        skipBlanks()
        guard take(":") else { return false }
        skipBlanks()
      }
      let start = position
      guard skipValue(depth: depth - 1) else { return false }
      part?(name, start..<position)
      skipBlanks()
    } while take(",")
    return take(close)
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard next == sign else { return false }
    position += 1
    return true
  }
}
