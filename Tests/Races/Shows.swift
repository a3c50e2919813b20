/// Whether a race shows a round in which both attempts answered true.
///
/// On a busy machine one thread may run only after the other, so it is repeated, at most 20 times. A
/// control that cannot show the fault then fails.
package func showsTwoAtOnce(_ race: () async -> [Int]) async -> Bool {
  for _ in 0..<20 where await race()[2] > 0 { return true }
  return false
}
