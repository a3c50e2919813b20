/// Whether a race has a round in which both attempts returned true.
///
/// On a busy computer one thread may run only after the other, so the race is repeated up to 20
/// times. If the defect never appears, the control fails.
package func showsTwoAtOnce(_ race: () async -> [Int]) async -> Bool {
  for _ in 0..<20 where await race()[2] > 0 { return true }
  return false
}
