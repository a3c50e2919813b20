import AuthOAuth
import TextFormat

/// What a context remembers of the resource that its tokens are for.
struct ResourceSettings: Hashable {
  /// The address, in the form that finds the context.
  let address: String
  /// The registration of the client, which is used for this resource and its issuer alone; nil for
  /// a client that the command line named.
  var registration: Registration?
  /// Whether the user accepted an issuer that does not announce PKCE.
  var allowsMissingPKCE = false

  struct Registration: Hashable {
    let scopes: [String]
    let isForDevices: Bool
    /// In seconds since 1970; nil if it does not expire.
    let expires: Int64?
  }

  init(address: String) { self.address = address }

  var document: JSON {
    let registration: JSON? = registration.map {
      [
        "scopes": .array($0.scopes.map(JSON.string)), "for_devices": .bool($0.isForDevices),
        "expires": .integer(orNull: $0.expires),
      ]
    }
    return [
      "address": .string(address), "registration": registration ?? .null,
      "allows_missing_pkce": .bool(allowsMissingPKCE),
    ]
  }

  init?(_ document: JSON) {
    let claims = OAuthClaims(document)
    guard let address = claims?["address"].flatMap(ResourceAddress.init)?.text else { return nil }
    self.address = address
    allowsMissingPKCE = claims?["allows_missing_pkce"] == "true"
    registration = (claims?.members["registration"]).flatMap { OAuthClaims($0) }.map { saved in
      Registration(
        scopes: saved.list("scopes"), isForDevices: saved["for_devices"] == "true",
        expires: saved["expires"].flatMap { Int64($0) })
    }
  }
}
