import AuthAccounts
import AuthMessages
import AuthService
import CommandLineKit

/// The requests of operators to a running service, named after their commands.
enum OperatorRequest: String, CaseIterable {
  case health, metrics, backup
  case endSessions = "sessions end"
  case resetPassword = "reset-password"
  case endTwoStep = "two-step off"
  case archive = "events archive"
  case check = "schema check"

  /// Whether its value is the name of a user.
  var isAboutUser: Bool { self == .endSessions || self == .resetPassword || self == .endTwoStep }

  /// Whether it is for monitoring, which must not wait for a service that hangs, and is not logged.
  var isReport: Bool { self == .health || self == .metrics }

  /// How long the command waits for each message; reading a whole database takes long.
  var patience: Duration {
    isReport ? .seconds(15) : self == .backup || self == .check || self == .archive ? .seconds(3600) : .seconds(120)
  }
}

/// A connection between an operator's command and the service: whole messages, in turn.
///
/// Both ends wait for each other, each for at most its time.
struct OperatorChannel {
  /// The kind of a message; the socket for people uses other numbers.
  enum Kind: UInt8 {
    /// A request and what it is about, or that a file is written.
    case request = 65
    /// Bytes of a file.
    case data = 66
    /// The end of a file, with its size or its number of events as text.
    case sent = 67
    /// The last one: a status, and what to print on standard output and on standard error.
    case result = 68
    /// The last one: a status, what happened and what to do.
    case failure = 69
  }

  private let link: ServiceLink
  private let time: Duration

  /// Takes over a descriptor.
  init(_ descriptor: Int32, time: Duration) {
    link = ServiceLink(descriptor)
    self.time = time
  }

  func send(_ kind: Kind, _ bytes: [UInt8]) throws(CommandError) {
    let frame = Frames.framed([kind.rawValue] + bytes)
    guard (try? link.send(frame, until: ResponseDeadline(in: time))) != nil else { throw Self.lost }
  }

  func send(_ kind: Kind, _ words: String...) throws(CommandError) {
    try send(kind, Array(words.joined(separator: "\0").utf8))
  }

  func receive() throws(CommandError) -> (kind: Kind, bytes: ArraySlice<UInt8>) {
    guard let message = try? link.payload(until: ResponseDeadline(in: time)) else { throw Self.lost }
    guard let kind = Kind(rawValue: message[0]) else {
      throw CommandError(.cannotTell, saying: "this socket is not for operators", hint: "Name theirs with --operators.")
    }
    return (kind, message.dropFirst())
  }

  static func words(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
  }

  static var lost: CommandError {
    CommandError(
      .cannotTell, saying: "the service did not answer",
      hint: "Look at its log: journalctl -u auth-service. A change that you asked for may still be made.")
  }
}
