import Foundation
import Glibc
import Testing

/// Listens on a port of this machine, and answers nothing unless it is told to refuse.
final class SilentServer {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
  }

  /// What a connection is made with.
  var address: String { "host=127.0.0.1 port=\(port) sslmode=disable dbname=x user=x" }

  /// Answers the next connection as a server that ends it with an error.
  ///
  /// Source: PostgreSQL, "Message Formats", ErrorResponse.
  func refuse(state: String, message: String) {
    var fields: [UInt8] = []
    for (field, value) in [
      ("S", "FATAL"), ("V", "FATAL"), ("C", state), ("M", message), ("F", "postmaster.c"), ("L", "1"),
    ] {
      fields += Array(field.utf8) + Array(value.utf8) + [0]
    }
    fields.append(0)
    let length = UInt32(fields.count + 4)
    let answer = [UInt8(ascii: "E")] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + fields
    let listening = descriptor
    Thread {
      let connection = accept(listening, nil, nil)
      var request = [UInt8](repeating: 0, count: 1024)
      _ = read(connection, &request, request.count)
      _ = write(connection, answer, answer.count)
      shutdown(connection, Int32(SHUT_WR))
      // Until the client has closed it: an earlier end could reach it before the answer.
      while read(connection, &request, request.count) > 0 {}
      close(connection)
    }.start()
  }

  deinit {
    close(descriptor)
  }
}
