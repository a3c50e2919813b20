import AuthCore

/// A value that can be sent over the socket of a service.
package protocol WireValue: Sendable {
  func write(to wire: WireWriter)
  static func read(from wire: inout WireReader) throws(WireFault) -> Self
}

/// A value that is sent as its parts, one after the other.
package protocol WireRecord: WireValue {
  static var parts: WireParts<Self> { get }
}

/// The parts of a record, in their order: one list for both writing and reading.
package struct WireParts<Record: Sendable>: Sendable {
  let write: @Sendable (Record, WireWriter) -> Void
  let read: @Sendable (inout WireReader) throws(WireFault) -> Record

  /// - Parameters:
  ///   - name: The kind of value that the error names when `make` returns nil.
  ///   - make: Creates a record from its parts; nil when they are not valid together.
  ///   - part: Reads one part from a record.
  package init<each Part: WireValue>(
    called name: String = "\(Record.self)", _ make: @escaping @Sendable (repeat each Part) -> Record?,
    _ part: repeat @escaping @Sendable (Record) -> each Part
  ) {
    write = { record, wire in wire.put(repeat (each part)(record)) }
    read = { (wire) throws(WireFault) in try wire.take(called: name, make) }
  }

  /// The parts of a value that is its own only part.
  init() where Record: WireValue {
    (write, read) = ({ $0.write(to: $1) }, { (wire) throws(WireFault) in try Record.read(from: &wire) })
  }

  /// The parts of a tuple.
  init<each Part: WireValue>() where Record == (repeat each Part) {
    write = { tuple, wire in wire.put(repeat each tuple) }
    read = { (wire) throws(WireFault) in (repeat try (each Part).read(from: &wire)) }
  }
}

extension WireRecord {
  package func write(to wire: WireWriter) { Self.parts.write(self, wire) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> Self { try parts.read(&wire) }
}

/// A value of one of several forms, sent as the number of the form and the values that it holds.
package protocol WireUnion: WireValue {
  /// All forms, in the order of their numbers from 1, which never change.
  static var forms: [WireForm<Self>] { get }
}

/// A form of a union: one declaration for both writing and reading.
package struct WireForm<Union: Sendable>: Sendable {
  /// Writes the number and the values of a union; returns false for a union of another form.
  fileprivate let write: @Sendable (Union, UInt8, WireWriter) -> Bool
  fileprivate let read: @Sendable (inout WireReader) throws(WireFault) -> Union

  /// A form that holds values.
  ///
  /// - Parameters:
  ///   - name: The kind of value that the error names when `make` returns nil.
  ///   - make: Creates a union from the values; nil when they are not valid together.
  ///   - values: The values of a union; nil if it is of another form.
  package init<each Value: WireValue>(
    called name: String = "\(Union.self)", _ make: @escaping @Sendable (repeat each Value) -> Union?,
    _ values: @escaping @Sendable (Union) -> (repeat each Value)?
  ) {
    write = { union, number, wire in
      guard let values = values(union) else { return false }
      wire.byte(number)
      wire.put(repeat each values)
      return true
    }
    read = { (wire) throws(WireFault) in try wire.take(called: name, make) }
  }

  /// A form that holds no values.
  package init(_ union: Union, _ isMeant: @escaping @Sendable (Union) -> Bool) {
    write = { union, number, wire in
      guard isMeant(union) else { return false }
      wire.byte(number)
      return true
    }
    read = { (_) throws(WireFault) in union }
  }

  package init(_ union: Union) where Union: Equatable { self.init(union) { $0 == union } }
}

extension WireUnion {
  package func write(to wire: WireWriter) {
    let isWritten = Self.forms.enumerated().contains { $1.write(self, UInt8($0 + 1), wire) }
    precondition(isWritten, "\(Self.self) has a case without a form")
  }

  package static func read(from wire: inout WireReader) throws(WireFault) -> Self {
    let number = try wire.byte()
    guard (1...forms.count).contains(Int(number)) else { throw .unknownTag(number, of: "\(Self.self)") }
    return try forms[Int(number) - 1].read(&wire)
  }
}

/// A value that is sent as text, such as a case of an enumeration whose raw values never change.
extension WireValue where Self: RawRepresentable<String> {
  package func write(to wire: WireWriter) { rawValue.write(to: wire) }

  package static func read(from wire: inout WireReader) throws(WireFault) -> Self {
    guard let value = try wire.word().flatMap(Self.init(rawValue:)) else { throw .invalid("\(Self.self)") }
    return value
  }
}

extension WireValue where Self: FixedWidthInteger {
  package func write(to wire: WireWriter) {
    for shift in stride(from: bitWidth - 8, through: 0, by: -8) { wire.byte(UInt8(truncatingIfNeeded: self >> shift)) }
  }

  package static func read(from wire: inout WireReader) throws(WireFault) -> Self {
    try wire.bytes(bitWidth / 8).reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}

extension Int: WireValue {}
extension Int64: WireValue {}
extension UInt16: WireValue {}
extension UInt32: WireValue {}
extension UInt64: WireValue {}

extension Bool: WireValue {
  package func write(to wire: WireWriter) { wire.byte(self ? 1 : 0) }

  package static func read(from wire: inout WireReader) throws(WireFault) -> Bool {
    switch try wire.byte() {
    case 0: false
    case 1: true
    case let other: throw .unknownTag(other, of: "flag")
    }
  }
}

extension String: WireValue {
  package func write(to wire: WireWriter) { wire.data(utf8) }

  package static func read(from wire: inout WireReader) throws(WireFault) -> String {
    guard let text = String(validating: try wire.data(), as: UTF8.self) else { throw .notText }
    return text
  }
}

extension Optional: WireValue where Wrapped: WireValue {
  package func write(to wire: WireWriter) {
    wire.put(self != nil)
    if let self { self.write(to: wire) }
  }

  package static func read(from wire: inout WireReader) throws(WireFault) -> Wrapped? {
    try wire.take() ? try Wrapped.read(from: &wire) : nil
  }
}

extension Array: WireValue where Element: WireValue {
  package func write(to wire: WireWriter) {
    wire.put(UInt32(clamping: count))
    for element in self { element.write(to: wire) }
  }

  /// It reserves no memory for the count that the sender claims.
  package static func read(from wire: inout WireReader) throws(WireFault) -> [Element] {
    var list: [Element] = []
    for _ in 0..<(try wire.take(UInt32.self)) { list.append(try Element.read(from: &wire)) }
    return list
  }
}

/// The rest of a frame, which only the operation of that frame can read.
///
/// It holds passwords and tokens, so it never prints itself.
package struct WireBody: WireValue, Redacted {
  package let bytes: [UInt8]

  /// The answer of an operation without an output.
  package static let done = WireBody([ResponseKind.done.rawValue])

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func write(to wire: WireWriter) { wire.raw(bytes) }
  package static func read(from wire: inout WireReader) throws(WireFault) -> WireBody { WireBody(wire.rest()) }
}
