/// The SQLSTATEs that our functions raise, in a class of their own.
///
/// Refusals are answers and not errors, because an error would undo counters and events. These are
/// for calls that no client of ours makes.
enum ServerState {
  static let otherVersion = "AC001"
  static let wrongIsolation = "AC002"
  static let readOnly = "AC003"
  static let sameTransaction = "AC004"
  static let malformed = "AC005"
}
