import Glibc

/// The stack of the handlers of a crash, because a thread whose stack is full has no room for them.
enum CrashStack {
  private static let size = 65_536
  /// Never freed, so that a late handler can use it.
  // Safe: only the handlers use the memory.
  private nonisolated(unsafe) static let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)

  /// Gives it to this thread, which draws and asks, unless it has one.
  static func use() {
    var before = stack_t()
    guard sigaltstack(nil, &before) == 0, before.ss_flags & Int32(SS_DISABLE) != 0 else { return }
    var stack = stack_t(ss_sp: memory, ss_flags: 0, ss_size: size)
    sigaltstack(&stack, nil)
  }
}
