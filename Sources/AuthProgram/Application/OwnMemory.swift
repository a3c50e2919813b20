import AuthMessages
import CProcess
import Glibc
import TextFormat

/// The memory of this process, which holds passwords and tokens.
enum OwnMemory {
  /// Closes it to other processes of the same user, and keeps it out of core files, as ssh-agent
  /// does.
  ///
  /// To be called before a secret is read. It holds for this process until its end, and a program
  /// that it starts is open again. Source: prctl(2), `PR_SET_DUMPABLE`; core(5); ptrace(2), "Ptrace
  /// access mode checking".
  ///
  /// - Throws: ``CommandError`` when the system does not allow it, as a sandbox may.
  static func close() throws(CommandError) {
    guard cprocess_close_memory() == 0 else {
      throw CommandError(code: .memoryNotClosed, ErrorNumber.current.explanation)
    }
  }
}
