import Glibc

/// A QR code, drawn by `qrencode` if that is installed.
enum QRCode {
  /// The message if the program is missing.
  static let missing = "Install qrencode to see a QR code here."

  /// How many columns the code of a text takes, with an empty margin of two modules around it.
  ///
  /// The standard has a margin of four; two fit into 80 columns and 24 rows beside a form, and zbar
  /// reads them.
  ///
  /// Source: ISO/IEC 18004, the bytes that versions 1 to 10 hold at level L; a version has 17
  /// modules and four for each.
  static func columns(of text: String) -> Int {
    let bytes = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271]
    let version = (bytes.firstIndex { $0 >= text.utf8.count } ?? bytes.count) + 1
    return 17 + 4 * version + 2 * margin
  }

  private static let margin = 2

  /// The code of a text in lines; none if the program is missing.
  ///
  /// On a stream the code sets its own colours, black on white, also if nothing else is
  /// coloured: without them it is inverted on a light terminal, and few cameras read that.
  /// The text goes through a pipe and not on a command line, where other users could read it.
  static func lines(_ text: String, onStream: Bool = false) -> [String] {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return [] }
    // Otherwise a program that another thread starts would inherit the pipe and keep it open.
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    defer { close(ends[0]) }
    // The text fits into the pipe, so the write does not block.
    let bytes = Array(text.utf8)
    let isWritten = write(ends[1], bytes, bytes.count) == bytes.count
    close(ends[1])
    let command = "exec qrencode -t \(onStream ? "ANSIUTF8" : "UTF8") -m \(margin) -o - </dev/fd/\(ends[0]) 2>/dev/null"
    guard isWritten, let program = popen(command, "r") else { return [] }
    var drawn: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, program)
      drawn += buffer[..<count]
      if count == 0 {
        guard ferror(program) != 0, errno == EINTR else { break }
        clearerr(program)
      }
    }
    pclose(program)
    return String(decoding: drawn, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
