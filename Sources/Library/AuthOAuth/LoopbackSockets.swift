#if !canImport(Darwin)
  import AuthCore
  import Glibc
  import TextFormat

  /// The sockets that listen at an address of this machine, on one port.
  struct LoopbackSockets {
    private(set) var descriptors: [Int32] = []
    private(set) var port: Int

    /// The longest wait for the page of an earlier login on the same port to end.
    private static let longestWait = LoopbackListener.Showing.standard.most + .seconds(1)
    /// How many free ports are tried: another program may have the same one of the other kind.
    private static let attempts = 20

    /// Listens at an address.
    init(_ address: LoopbackAddress) throws(OAuthError) {
      let deadline = ContinuousClock.now + Self.longestWait
      var attempt = 1
      while true {
        port = address.port ?? 0
        guard let failure = listen(at: address.host) else { return }
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
        let isTaken = failure.code == EADDRINUSE
        attempt += 1
        if isTaken, address.port == nil, attempt <= Self.attempts { continue }
        guard isTaken, address.port != nil, ContinuousClock.now < deadline else {
          throw .unusablePort(address.port.map { "port \($0)" } ?? "a free port", failure.explanation)
        }
        usleep(50_000)
      }
    }

    /// Listens at all addresses of a host; returns the reason if one of them cannot be used.
    private mutating func listen(at host: String) -> ErrorNumber? {
      if host != "[::1]", let failure = listen(isIPv6: false) { return failure }
      guard host != "127.0.0.1", let failure = listen(isIPv6: true) else { return nil }
      // A machine may have no IPv6; then a browser cannot use it for `localhost` either.
      return host == "localhost" && [EAFNOSUPPORT, EADDRNOTAVAIL].contains(failure.code) ? nil : failure
    }

    private mutating func listen(isIPv6: Bool) -> ErrorNumber? {
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
      guard descriptor >= 0 else { return .current }
      // Connections of an earlier login that are closing do not block the port.
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      // Otherwise it would also have the port of the other kind.
      if isIPv6 {
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      }
      guard let chosen = Self.bind(descriptor, isIPv6: isIPv6, port: in_port_t(port)),
        Glibc.listen(descriptor, 64) == 0
      else {
        let failure = ErrorNumber.current
        close(descriptor)
        return failure
      }
      descriptors.append(descriptor)
      port = Int(chosen)
      return nil
    }

    /// Binds a socket, and returns its port.
    private static func bind(_ descriptor: Int32, isIPv6: Bool, port: in_port_t) -> in_port_t? {
      func bound<Address>(_ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
          guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
          return Glibc.bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
      }
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        // ::1
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
        return bound(&address) ? address.sin6_port.bigEndian : nil
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return bound(&address) ? address.sin_port.bigEndian : nil
    }
  }

  extension AuthorityError where Rejection == OAuthRejection {
    static func unusablePort(_ port: String, _ reason: String) -> OAuthError {
      .unavailable(
        Unavailability(
          .unreachable, "A browser cannot return to this program on \(port): \(reason).",
          hint: "Choose another port, or log in on another device.", code: "redirect_port_unusable",
          values: [port, reason]))
    }
  }
#endif
