import CSocket

/// The process and the user at the other end of a connection, for limits and for the log.
///
/// It grants no rights.
package struct Peer: Hashable, Sendable {
  package let process: Int32
  package var caller: Caller

  /// Reads the peer of a connected socket from the kernel; nil when the kernel does not know it.
  package init?(of descriptor: Int32) {
    var peer = csocket_peer()
    guard csocket_peer_of(descriptor, &peer) == 0 else { return nil }
    (process, caller) = (peer.process, Caller(user: peer.user))
  }
}

/// The user of the machine, and a name within that user, whose limits a request counts for.
package struct Caller: Hashable, Sendable {
  /// The user of the machine, as the kernel reports it.
  package let user: UInt32
  /// The name in a forced command, which divides the limits of the user; nil without one.
  package var name: String?

  package init(user: UInt32, name: String? = nil) {
    (self.user, self.name) = (user, name)
  }
}
