import AuthCore

/// The limits of the protocol.
package enum Frames {
  /// The version that both sides must have; another one has other frames.
  package static let major: UInt16 = 1
  /// The most bytes of a frame, without its length.
  package static let longest = 65_536
  /// The most bytes of a caller's name.
  package static let longestName = 32
  /// The number of a failure that answers no question: the connection is refused, or was not
  /// understood.
  package static let unnumbered: UInt32 = 0
  /// The most rows that a client asks for at once, and a service gives, so that they fit a frame.
  package static let longestPage = 50

  /// A frame of these bytes: first their number, big-endian.
  package static func framed(_ payload: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(payload.count).bigEndian, Array.init) + payload
  }
}

/// Collects the bytes of a connection into frames.
package struct FrameBuffer: Redacted {
  private var bytes: ArraySlice<UInt8> = []

  package init() {}

  /// Whether the next frame has begun and is not complete.
  package var isInsideFrame: Bool { !bytes.isEmpty }

  package mutating func append(_ more: some Collection<UInt8>) { bytes += more }

  /// Whether ``next()`` has something to say: a frame, or that it has a wrong length.
  package var hasNext: Bool {
    length.map { !(1...Frames.longest).contains($0) || bytes.count >= 4 + $0 } ?? false
  }

  private var length: Int? { bytes.count < 4 ? nil : bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

  /// Removes the next frame, without its length; nil until it is complete.
  ///
  /// - Throws: ``WireFault`` for a length that no frame has; the connection is of no use any more.
  package mutating func next() throws(WireFault) -> [UInt8]? {
    guard let length else { return nil }
    guard (1...Frames.longest).contains(length) else { throw .frameLength(length) }
    let frame = bytes.dropFirst(4).prefix(length)
    guard frame.count == length else { return nil }
    bytes = bytes[frame.endIndex...]
    return Array(frame)
  }
}
