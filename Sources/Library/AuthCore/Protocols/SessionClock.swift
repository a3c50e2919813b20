/// The clock could not be read, so it is unknown whether a limit is reached.
public struct ClockError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message that says what could not be read, and why.
  public let description: String
  /// What to do about it, in one line.
  public let hint: String
  /// The stable name for programs.
  package static let code = "clock_unreadable"

  /// Creates the error of a clock that cannot be read.
  public init(_ description: String, hint: String = "Try again; session limits cannot be checked without the clock.") {
    self.description = description
    self.hint = hint
  }
}

/// The source of time for the library.
///
/// The library itself has no clock.
///
/// A conformer must use a clock that cannot be set and that counts suspended time (`CLOCK_BOOTTIME`
/// on Linux).
public protocol SessionClock: Sendable {
  /// The current instant.
  ///
  /// - Throws: ``ClockError`` when the clock cannot be read. It is then unknown whether a limit is
  ///   reached.
  func now() throws(ClockError) -> BootInstant

  /// Suspends the caller for at least `duration`.
  ///
  /// - Throws: `CancellationError` as soon as the calling task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
}
