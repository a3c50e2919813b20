import Foundation
import Programs
import Services

/// Listens at a socket, and answers nothing unless it is told to refuse.
final class SilentServer {
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
    let length = UInt32(fields.count + 4)
    let answer = [UInt8(ascii: "E")] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + fields
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
}
