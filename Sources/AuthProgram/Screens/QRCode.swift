import Glibc

/// A QR code on the terminal, drawn by `qrencode` where that is installed.
enum QRCode {
  /// How many columns the code of a text takes, with the empty margin of four modules around it.
  ///
  /// Source: ISO/IEC 18004, the bytes that versions 1 to 10 hold at level L; a version has 17 modules
  /// and four for each.
  static func columns(of text: String) -> Int {
    let bytes = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271]
    let version = (bytes.firstIndex { $0 >= text.utf8.count } ?? bytes.count) + 1
    return 17 + 4 * version + 8
  }

  /// Draws the text on standard output; false where the program is missing.
  ///
  /// The text goes through a pipe and not on a command line, where other users could read it.
  static func show(_ text: String) -> Bool {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    // It fits into the pipe, so nobody has to wait for its reader.
    let bytes = Array(text.utf8)
    let isWritten = write(ends[1], bytes, bytes.count) == bytes.count
    close(ends[1])
    defer { close(ends[0]) }
    guard isWritten else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let line: [String] = ["qrencode", "-t", "UTF8", "-o", "-"]
    let words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) }
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, "qrencode", &actions, nil, words + [nil], [nil]) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }
}
