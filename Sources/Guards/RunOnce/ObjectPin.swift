/// Keeps an object's memory, but not its life, so that its address means no other object meanwhile.
///
/// An `unowned` reference does that for every class of Swift's own. It is never followed.
final class ObjectPin {
  private unowned let object: AnyObject
  /// How many bodies are running on the object; their records must stay.
  var running = 0

  /// - Parameter address: Of an object that the caller keeps alive for the call, and that is not in its `deinit`: such
  ///   an object may lie on the stack, where nothing can keep its memory.
  init(at address: UInt) {
    object = Self.unmanaged(address).takeUnretainedValue()
  }

  /// Whether the object at a pinned `address` is gone: the pin is then all that is left of the counts in its header.
  ///
  /// Once true it stays so, as nobody has a reference to make another from. A weak reference would tell the same, but by
  /// keeping the object alive for the moment: if its owner let go meanwhile, its `deinit` would run here, on a
  /// thread that it may not expect. Unoptimised code does retain it here too, so no lock is held around this.
  static func isGone(at address: UInt) -> Bool {
    unmanaged(address)._withUnsafeGuaranteedRef { _getUnownedRetainCount($0) == 1 }
  }

  /// Whether `object` has not begun its `deinit`.
  ///
  /// In there a new weak reference is nil, and following an unowned one traps.
  static func isLive(_ object: AnyObject) -> Bool {
    weak let probe = object
    return probe != nil
  }

  private static func unmanaged(_ address: UInt) -> Unmanaged<AnyObject> {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else {
      preconditionFailure("an object has no address; it was made from a reference, which is never null")
    }
    return .fromOpaque(pointer)
  }
}
