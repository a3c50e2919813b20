/// The connection of a backend to its server, for people to see.
public struct BackendConnection: Hashable, Sendable {
  /// Host and port, or the path of the socket.
  public let place: String
  /// The name of the database.
  public let database: String
  /// The role at the server; nil at a service, which asks for none.
  public let role: String?
  /// The protocol that encrypts the connection; nil for none.
  public let encryption: String?
  /// Whether the connection stays on this machine.
  public let isLocal: Bool

  /// Creates a description.
  public init(place: String, database: String, role: String?, encryption: String?, isLocal: Bool) {
    self.place = place
    self.database = database
    self.role = role
    self.encryption = encryption
    self.isLocal = isLocal
  }

  /// How the connection is protected, in words.
  public var protection: String {
    if let encryption { return "encrypted by \(encryption)" }
    return isLocal ? "on this machine" : "not encrypted"
  }
}
