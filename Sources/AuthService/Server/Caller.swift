import CSocket

/// Who is at the other end of a connection, for limits and for the log.
///
/// It grants nothing.
package struct Peer: Hashable, Sendable {
  package let process: Int32
  package internal(set) var caller: Caller

  /// Asks the kernel about a connected socket; nil when it does not know.
  package init?(of descriptor: Int32) {
    var peer = csocket_peer()
    guard csocket_peer_of(descriptor, &peer) == 0 else { return nil }
    (process, caller) = (peer.process, Caller(user: peer.user))
  }
}

/// Whose limits a request counts for.
package struct Caller: Hashable, Sendable {
  /// The user of the machine, whom the kernel names.
  package let user: UInt32
  /// The name in a forced command, which shares out what the user may take; nil without one.
  var name: String?
}
