import AuthAccounts

/// Finds out whether a pooler shares one process of the server among several connections.
///
/// While a connection is open, a pooler that assigns processes to sessions gives the next
/// connection another process; one that assigns them to transactions gives it the one that is
/// free. Where others use that one at the same moment, this finds nothing; each transaction then
/// does, see ``ServerConnection/process``.
struct PoolerProbe {
  private let connecting: Connecting

  init(_ connecting: Connecting) { self.connecting = connecting }

  /// - Throws: ``ServerFault`` with the state ``ServerState/pooled``.
  func check(_ connection: ServerConnection) throws(ServerFault) {
    let second: [[String?]]
    do throws(ServerFault) {
      // A pool of one process lets the second connection wait.
      second = try connecting.connect().run("SELECT pg_backend_pid()", until: .now + .seconds(1))
    } catch {
      return
    }
    if second.first?[0].flatMap({ Int64($0) }) == connection.process {
      throw .refused(state: ServerState.pooled, "two connections have one process of the server")
    }
  }
}
