import AuthMessages
import AuthService
import Glibc
import TextFormat

/// A connection between an operator's command and the service: whole messages, in turn.
///
/// Both ends wait for each other, each for at most its time.
struct OperatorChannel {
  /// What a message is.
  enum Kind: UInt8 {
    /// A command's words, or what it says when it has written what it was given.
    case question = 1
    /// Bytes of a file.
    case data = 2
    /// All bytes of the file were sent, and how many there are is said in words.
    case sent = 3
    /// The last one: a status, and what to print.
    case result = 4
    /// The last one: a status, what happened and what to do.
    case failure = 5
  }

  private static let longest = 65_536

  let descriptor: Int32

  init(_ descriptor: Int32, time: Duration) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: Int(time.components.seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  func send(_ kind: Kind, _ bytes: [UInt8]) throws(CommandError) {
    let length = UInt32(bytes.count + 1)
    var rest = ((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + [kind.rawValue] + bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.lost }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ kind: Kind, _ words: [String]) throws(CommandError) {
    try send(kind, Array(words.joined(separator: "\0").utf8))
  }

  func receive() throws(CommandError) -> (kind: Kind, bytes: [UInt8]) {
    let length = try read(4).reduce(0) { $0 << 8 | Int($1) }
    guard (1...Self.longest + 1).contains(length) else { throw Self.lost }
    let message = try read(length)
    guard let kind = Kind(rawValue: message[0]) else { throw Self.lost }
    return (kind, Array(message.dropFirst()))
  }

  static func words(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }

  private func read(_ count: Int) throws(CommandError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var have = 0
    while have < count {
      let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress.map { $0 + have }, count - have, 0) }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw Self.lost }
      have += got
    }
    return bytes
  }

  static var lost: CommandError {
    CommandError(
      .cannotTell, saying: "the service did not answer", hint: "Look at its log: journalctl -u auth-service")
  }
}
