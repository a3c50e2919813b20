/// The connection of a backend to its service, for people to see.
public struct BackendConnection: Hashable, Sendable {
  /// Hosts, or the path of the socket.
  public let place: String
  /// The name of the database.
  public let database: String
  /// The protocol that encrypts the connection; nil for one that stays on this machine.
  public let encryption: String?

  /// Creates a description.
  public init(place: String, database: String, encryption: String?) {
    self.place = place
    self.database = database
    self.encryption = encryption
  }

  /// How the connection is protected, in words.
  public var protection: String { encryption.map { "encrypted by \($0)" } ?? "on this machine" }
}
