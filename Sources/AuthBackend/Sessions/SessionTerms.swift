package import AuthCore

/// The limits of a session as they are stored: nanoseconds on the clock of the session's boot.
package struct SessionTerms: Sendable {
  package let active: Int64
  package let idleSpan: Int64
  package let absoluteUntil: Int64
  package let freshUntil: Int64

  package init(active: Int64, idleSpan: Int64, absoluteUntil: Int64, freshUntil: Int64) {
    self.active = active
    self.idleSpan = idleSpan
    self.absoluteUntil = absoluteUntil
    self.freshUntil = freshUntil
  }

  package func limits(in boot: BootID) -> SessionLimits {
    func instant(_ nanoseconds: Int64) -> Deadline {
      .at(BootInstant(boot: boot, uptime: .nanoseconds(nanoseconds)))
    }
    return SessionLimits(
      idle: instant(active.clampedSum(idleSpan)), absolute: instant(absoluteUntil), fresh: instant(freshUntil))
  }
}
