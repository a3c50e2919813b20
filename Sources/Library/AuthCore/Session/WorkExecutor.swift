/// The threads on which a store calls its authority and its vault.
///
/// Frozen: a later version adds no case.
public enum WorkExecutor: Hashable, Sendable {
  /// On separate threads, so that a blocking call does not block other work.
  case separateThreads
  /// On the calling thread, until the work first suspends: for a process that has nothing else to
  /// do, such as a command-line program.
  ///
  /// An authority or a vault that blocks then also blocks the caller. The store starts no thread.
  case callingThread
}
