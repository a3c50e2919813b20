import AuthCore
import AuthMessages
import CommandLineKit

/// The variables of curl with which a login reached the provider: the proxy and the certificate
/// authority.
///
/// The context stores them for processes that lack them, such as those of cron. A proxy's address
/// may contain a password, so they are stored and shown as secrets are.
struct CurlVariables: Equatable, Redacted {
  /// The values, by the options of curl that have the same meaning.
  private(set) var options: [String: String]

  init(options: [String: String] = [:]) { self.options = options.filter { Self.families[$0.key] != nil } }

  /// The variables of each option; of several that are set, the first counts.
  private static let families: [String: [String]] = [
    "proxy": ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], "noproxy": ["no_proxy", "NO_PROXY"],
    "cacert": ["CURL_CA_BUNDLE", "SSL_CERT_FILE"], "capath": ["SSL_CERT_DIR"],
  ]

  /// The variable of this process that has the meaning of an option; one that is empty switches the
  /// stored value off.
  private static func variable(of option: String) -> String? {
    // curl takes one of the two.
    if option == "capath", Environment.value("CURL_CA_BUNDLE") != nil { return nil }
    if option == "cacert", Environment.value("CURL_CA_BUNDLE") == nil, variable(of: "capath") != nil { return nil }
    return (families[option] ?? []).first { Environment.value($0) != nil }
  }

  /// The variables that this process has, in place of `known` ones.
  static func here(besides known: CurlVariables) throws(CommandError) -> CurlVariables {
    var options = known.applied
    for option in families.keys {
      guard let name = variable(of: option), let value = Environment.value(name) else { continue }
      options[option] = nil
      guard !value.isEmpty else { continue }
      options[option] = option.hasPrefix("ca") ? try AbsolutePath.text(value) : value
    }
    return CurlVariables(options: options)
  }

  /// The stored values that this process has no variable for.
  var applied: [String: String] {
    let hasAuthority = ["cacert", "capath"].contains { Self.variable(of: $0) != nil }
    return options.filter { option, _ in
      option.hasPrefix("ca") ? !hasAuthority : Self.variable(of: option) == nil
    }
  }

  /// What a login says: which of this process's variables the context stores now.
  var notes: [Hint] {
    let names = options.keys.compactMap(Self.variable).sorted()
    guard !names.isEmpty else { return [] }
    return [
      Hint(
        "The context stores \(names.joined(separator: ", ")) for runs without these variables, such as those of cron. Only you can read it."
      )
    ]
  }
}
