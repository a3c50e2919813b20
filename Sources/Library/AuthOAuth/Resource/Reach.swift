/// Where the host of an address is, as far as its text says.
///
/// A server elsewhere must not make this program send requests to services of this machine, or of
/// the network around it, which trust everybody who can connect (RFC 9728, section 7.7). A name
/// that leads here is not recognised: a server needs a certificate for it to get a request.
enum Reach: Hashable, Sendable {
  case machine
  /// The network without routers, such as the metadata service of a cloud.
  case link
  /// A private network (RFC 1918, RFC 4193, RFC 6598), or a name that means something only there.
  case network
  case elsewhere
  /// An address that programs read differently, such as `127.1`.
  case unclear

  /// Reads the host of an address that is safe.
  init(of url: String) {
    let host = url.hostName
    if host.hasPrefix("[") {
      self = Self.groups(host.dropFirst().dropLast()).map(Reach.init(groups:)) ?? .unclear
      return
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isNumber = labels.last?.wholeMatch(of: /[0-9]+|0x[0-9a-f]*/) != nil
    switch (isNumber, host) {
    case (true, _): self = Self.numbers(host).map { Reach(numbers: $0) } ?? .unclear
    case (_, "localhost"), (_, "localhost.localdomain"), (_, "ip6-localhost"), (_, "ip6-loopback"): self = .machine
    case (_, _) where host.hasSuffix(".localhost"): self = .machine
    case (_, _) where labels.contains(""): self = .unclear
    case _: self = labels.count == 1 ? .network : .elsewhere
    }
  }

  private init(numbers: [UInt16]) {
    switch (numbers[0], numbers[1]) {
    case (0, _), (127, _): self = .machine
    case (169, 254): self = .link
    case (10, _), (172, 16...31), (192, 168), (100, 64...127): self = .network
    case (224..., _): self = .unclear
    case _: self = .elsewhere
    }
  }

  private init(groups: [UInt16]) {
    func embedded(_ index: Int) -> Reach {
      Reach(numbers: [groups[index] >> 8, groups[index] & 255, groups[index + 1] >> 8, groups[index + 1] & 255])
    }
    switch groups[0] {
    case 0 where groups[..<5].allSatisfy { $0 == 0 } && [0, 0xFFFF].contains(groups[5]):
      // `::`, `::1`, and the forms with an address of four numbers.
      self = embedded(6)
    case 0x64 where groups[1] == 0xFF9B: self = embedded(6)
    case 0x2002: self = embedded(1)
    case 0xFE80...0xFEBF: self = .link
    case 0xFC00...0xFDFF, 0xFEC0...0xFEFF: self = .network
    case 0xFF00...: self = .unclear
    case _: self = .elsewhere
    }
  }

  /// The four numbers of an address, in the only form that all programs read alike.
  private static func numbers(_ text: some StringProtocol) -> [UInt16]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part == "0" || part.first != "0" ? UInt8(part).map { UInt16($0) } : nil }
    return numbers.count == 4 && parts.count == 4 ? numbers : nil
  }

  /// The eight groups of an address (RFC 4291, section 2.2).
  private static func groups(_ text: Substring) -> [UInt16]? {
    func read(_ text: Substring) -> [UInt16]? {
      if text.isEmpty { return [] }
      var groups: [UInt16] = []
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index == parts.count - 1, part.contains(".") {
          guard let numbers = numbers(part) else { return nil }
          groups += [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
        } else {
          guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16) else { return nil }
          groups.append(group)
        }
      }
      return groups
    }
    let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
    guard let first = read(halves[0]) else { return nil }
    if halves.count == 1 { return first.count == 8 ? first : nil }
    guard halves.count == 2, let second = read(halves[1]), first.count + second.count < 8 else { return nil }
    return first + [UInt16](repeating: 0, count: 8 - first.count - second.count) + second
  }
}

extension String {
  /// The host of a safe address in lower case, without its port and without a dot at its end.
  var hostName: String {
    let host = host.lowercased()
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return String(name.last == "." ? name.dropLast() : name)
  }

  /// Whether a server at this address may name `other` as an address for requests: never one that
  /// is nearer to this machine than the server itself.
  func mayName(_ other: String) -> Bool {
    if hostName == other.hostName { return true }
    return switch Reach(of: other) {
    case .elsewhere: true
    case .network: [.network, .machine].contains(Reach(of: self))
    case .machine: Reach(of: self) == .machine
    case .link, .unclear: false
    }
  }
}
