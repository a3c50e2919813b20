import AuthAccounts
import Glibc
import Services
import Testing

@testable import AuthService

@Suite("The address of a service", .timeLimit(.minutes(10))) struct AddressTests {
  @Test("is a socket, or hosts and perhaps a socket")
  func forms() throws {
    #expect(try ServiceAddress("unix:/run/auth-cli/authority.sock") == .unix("/run/auth-cli/authority.sock"))
    func host(_ destination: String, _ port: UInt16? = nil) -> ServiceAddress.Host {
      ServiceAddress.Host(destination: destination, port: port)
    }
    #expect(try ServiceAddress("ssh://host") == .ssh([host("host")], socket: nil))
    #expect(try ServiceAddress("ssh://alice@host:2222/run/s") == .ssh([host("alice@host", 2222)], socket: "/run/s"))
    #expect(
      try ServiceAddress("ssh://a,bob@b:1,[fe80::1%eth0]:22,[::1]")
        == .ssh([host("a"), host("bob@b", 1), host("fe80::1%eth0", 22), host("::1")], socket: nil))
  }

  @Test(
    "is refused where it is neither",
    arguments: [
      "", "unix:", "unix:s", "unix:/", "unix:/run/", "unix:/" + String(repeating: "a", count: 107), "ssh:host",
      "ssh://", "ssh://,a", "ssh://a,", "ssh://-oProxyCommand=x", "ssh://-l@host", "ssh://user@-host", "ssh://@host",
      "ssh://user@", "ssh://a b", "ssh://a;b", "ssh://$(a)", "ssh://host:", "ssh://host:0", "ssh://host:65536",
      "ssh://host:ssh", "ssh://host/", "unix:/a\nb", "http://host",
    ])
  func refused(_ text: String) {
    #expect(failure { try ServiceAddress(text) }?.code == "address_invalid")
  }

  @Test(
    "never shows the password in it, and that of a PostgreSQL database has a code of its own",
    arguments: [
      ("ssh://alice:secret@host", "address_invalid"), ("ssh://alice:secret@host:22", "address_invalid"),
      ("ssh://a,alice:se@cret@[::1]", "address_invalid"), ("ssh://alice:12/secret@host", "address_invalid"),
      ("ssh://alice:secret/12@host", "address_invalid"), ("ssh://host?key=secret", "address_invalid"),
      ("host=db.example.org password=secret", "address_of_database"),
      ("postgresql://alice:secret@host/accounts", "address_of_database"), ("service=accounts", "address_of_database"),
      ("postgres://alice:secret@host/accounts", "address_of_database"),
    ])
  func password(_ text: String, code: String) {
    let error = failure { try ServiceAddress(text) }
    #expect(error?.code == code && error?.description.contains("secret") == false)
  }

  @Test("becomes arguments of ssh in which no name can be an option, and a path no command")
  func arguments() {
    let host = ServiceAddress.Host(destination: "alice@host", port: 2222)
    func arguments(
      _ host: ServiceAddress.Host, _ socket: String?, mayAsk: Bool, others: [ServiceAddress.Host] = []
    ) -> [String] {
      Dialling(address: .ssh([host] + others, socket: socket), limits: ClientLimits(), mayAsk: mayAsk).arguments(
        to: host, socket)
    }
    let start = ["ssh", "-T", "-o", "ConnectTimeout=10"]
    #expect(
      arguments(host, nil, mayAsk: true) == start + ["-p", "2222", "--", "alice@host", "auth-service", "connect"])
    #expect(
      arguments(.init(destination: "host", port: nil), "/run/a b'$(c)", mayAsk: false)
        == start + [
          "-o", "BatchMode=yes", "--", "host", "auth-service", "connect", "--socket", "'/run/a b'\\''$(c)'",
        ])
    #expect(arguments(host, nil, mayAsk: false, others: [host, .init(destination: "b", port: nil)]).contains("-q"))
  }
}

@Suite("A socket is trusted", .enabled(if: geteuid() == 0, "needs root, to give files away"), .timeLimit(.minutes(10)))
struct TrustTests {
  private let service = TestService(answering: { _ in WireBody.done })
  private var directory: String { String(service.path.dropLast(2)) }

  private func code(_ path: String? = nil) -> String? {
    let authority = ServiceAuthority(.unix(path ?? service.path), limits: .patient)
    return failure { try authority.ask(Operations.checkForLogins) }?.code
  }

  @Test("where only its owner can put it")
  func owner() {
    #expect(code() == nil)
    chmod(directory, 0o770)
    #expect(code() == "service_untrusted")
    chmod(directory, 0o1777)
    #expect(code() == nil)
    chmod(directory, 0o700)
    chown(directory, 1234, 0)
    #expect(code() == "service_untrusted")
    chown(directory, 0, 0)
    chown(service.path, 1234, 0)
    #expect(code() == "service_untrusted")
    chown(service.path, 0, 0)
    #expect(code() == nil)
  }

  @Test("through a link only where the link and what it leads to are")
  func links() {
    let link = directory + "/link"
    let inner = directory + "/open"
    mkdir(inner, 0o700)
    chmod(inner, 0o777)
    symlink(service.path, link)
    symlink(service.path, inner + "/link")
    symlink("link", directory + "/again")
    symlink("round", directory + "/round")
    defer {
      for path in [link, inner + "/link", directory + "/again", directory + "/round"] { unlink(path) }
      rmdir(inner)
    }
    #expect(code(link) == nil)
    #expect(code(directory + "/again") == nil)
    #expect(code(directory + "/./open/../s") == "service_untrusted")
    #expect(code(inner + "/link") == "service_untrusted")
    #expect(code(directory + "/round") == "service_untrusted")
    #expect(code(directory + "/missing") == "service_unreachable")
  }
}
