/// Whether a race has a round in which both attempts returned true.
///
/// On a busy computer one thread may run only after the other, so the race is repeated up to 2,000
/// times, and stops as soon as it shows the defect. If the defect never appears, the control fails.
package func showsTwoAtOnce(_ race: () async -> [Int]) async -> Bool {
  for _ in 0..<2_000 where await race()[2] > 0 { return true }
  return false
}
