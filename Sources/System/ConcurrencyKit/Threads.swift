#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Starts a thread that runs `body` and is never joined.
///
/// The closure that `pthread_create` takes stays here: in a `main.swift` it would belong to the
/// main actor, and the thread would die of that.
///
/// - Parameters:
///   - blocksSignals: Whether signals go to other threads only, except those of a crash.
///   - body: The work.
/// - Returns: False when the system gave no thread.
package func startThread(blockingSignals blocksSignals: Bool = false, _ body: @escaping @Sendable () -> Void) -> Bool {
  // The new thread inherits what this one blocks.
  var (all, before) = (sigset_t(), sigset_t())
  sigfillset(&all)
  // A blocked signal of a crash would end the process without its handler.
  for crash in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, crash) }
  if blocksSignals { pthread_sigmask(SIG_BLOCK, &all, &before) }
  defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &before, nil) } }
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let box = Unmanaged.passRetained(ThreadBody(body))
  let error = pthread_create(
    &thread, nil,
    { raw in
      // The argument is optional on Linux, but not on Apple's systems.
      guard let raw = raw as UnsafeMutableRawPointer? else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run()
      return nil
    }, box.toOpaque())
  guard error == 0 else {
    box.release()
    return false
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
  return true
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
