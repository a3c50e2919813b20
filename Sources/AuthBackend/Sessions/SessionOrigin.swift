/// Where a session was begun, as its process saw it.
///
/// It helps a user to recognise a session and proves nothing: the process of the same user can
/// claim anything.
public struct SessionOrigin: Hashable, Sendable {
  /// The terminal, such as `pts/3`; nil without one.
  public let terminal: String?
  /// The program, such as `auth-cli`.
  public let program: String?
  /// The address of the remote host that the terminal belongs to; nil on this machine.
  public let host: String?

  /// The most bytes of each part that are kept.
  public static let longest = 64

  /// Creates an origin.
  ///
  /// A part that is empty or has more than ``longest`` bytes is left out.
  public init(terminal: String?, program: String?, host: String?) {
    func kept(_ part: String?) -> String? {
      part.flatMap { (1...Self.longest).contains($0.utf8.count) ? $0 : nil }
    }
    self.terminal = kept(terminal)
    self.program = kept(program)
    self.host = kept(host)
  }
}
