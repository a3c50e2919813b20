import Foundation
import Programs
import Services

/// Listens at a socket, and answers nothing unless it is told to refuse.
final class SilentServer: Sendable {
  private let folder = ShortFolder()
  private let listener: Int32

  init() { listener = listeningSocket(at: folder.path + "/.s.PGSQL.5432") }
  deinit { close(listener) }

  /// The directory of the socket.
  var directory: String { folder.path }

  /// Answers the next connection as a server that ends it with an error.
  ///
  /// Source: PostgreSQL, "Message Formats", ErrorResponse.
  func refuse(state: String, message: String) {
    var fields: [UInt8] = []
    for field in ["SFATAL", "VFATAL", "C" + state, "M" + message, "Fpostmaster.c", "L1"] { fields += field.utf8 + [0] }
    fields.append(0)
    let answer = Self.message("E", fields)
    Thread.detachNewThread { [listener] in
      let connection = accept(listener, nil, nil)
      var request = [UInt8](repeating: 0, count: 1024)
      _ = read(connection, &request, request.count)
      _ = write(connection, answer, answer.count)
      shutdown(connection, Int32(SHUT_WR))
      // Until the client has closed it: an earlier end could reach it before the answer.
      while read(connection, &request, request.count) > 0 {}
      close(connection)
    }
  }

  /// Accepts the next connection, and lets it in without a password.
  ///
  /// - Returns: Its descriptor, which the caller closes.
  func welcome() -> Int32 {
    let connection = accept(listener, nil, nil)
    let answer = Self.message("R", [0, 0, 0, 0]) + Self.ready
    _ = write(connection, answer, answer.count)
    return connection
  }

  /// Answers a statement that returns no rows, whether it was sent already or not.
  static func answer(on connection: Int32) {
    let answer = message("C", Array("SET".utf8) + [0]) + ready
    _ = write(connection, answer, answer.count)
  }

  private static let ready = message("Z", [UInt8(ascii: "I")])

  private static func message(_ kind: UnicodeScalar, _ content: [UInt8]) -> [UInt8] {
    let length = UInt32(content.count + 4)
    return [UInt8(ascii: kind)] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + content
  }
}
