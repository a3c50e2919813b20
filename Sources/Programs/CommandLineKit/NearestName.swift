/// Finds the name that the user probably meant.
enum NearestName {
  /// Returns the name nearest to `word`, if one is near enough to suggest.
  ///
  /// It is suggested and never run.
  ///
  /// Near means at most one edit for every three characters, at least one and at most three, or a
  /// prefix of at least three characters.
  static func find(_ word: Word, among names: [String]) -> String? {
    guard let text = word.text, (1...40).contains(word.bytes.count) else { return nil }
    let typed = Array(text.lowercased())
    let limit = min(3, max(1, typed.count / 3))
    let completions = names.filter { $0.lowercased().hasPrefix(text.lowercased()) }
    // Of equally near names, one that the word begins comes first: 'of' means 'off', not 'on'.
    let ranked = (completions + names).map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
    if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.name }
    return typed.count >= 3 && completions.count == 1 ? completions.first : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that turn one text
  /// into the other.
  ///
  /// This is the restricted edit distance of Damerau (1964) and Levenshtein (1966).
  static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        let change = last[j] + (first[i] == second[j] ? 0 : 1)
        var best = min(last[j + 1] + 1, row[j] + 1, change)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[second.count]
  }
}
