import CSocket
import Glibc

/// Who is at the other end of a connection, for limits and for the log.
///
/// It grants nothing.
struct Peer: Hashable, Sendable {
  let process: pid_t
  var caller: Caller

  init?(of descriptor: Int32) {
    var peer = csocket_peer()
    guard csocket_peer_of(descriptor, &peer) == 0 else { return nil }
    (process, caller) = (peer.process, Caller(user: peer.user))
  }
}

/// Whose limits a request counts for.
struct Caller: Hashable, Sendable {
  /// The user of the machine, whom the kernel names.
  let user: uid_t
  /// The name in a forced command, which shares out what the user may take; nil without one.
  var name: String?
}
