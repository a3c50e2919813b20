package import CommandLineKit

extension Frame {
  /// The rows as text, without trailing spaces.
  package var lines: [String] {
    (0..<rows).map { row in
      var line = String((0..<columns).lazy.map { self[row, $0] }.filter { $0.width > 0 }.map(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The rows, each followed by its styles if it has any, in the format of golden files.
  package var golden: String {
    var result = "\(columns)x\(rows)" + (cursor.map { " cursor \($0.row),\($0.column)" } ?? "") + "\n"
    for (row, line) in lines.enumerated() {
      result += "|" + line + "\n"
      var styles = String((0..<columns).map { self[row, $0].style.rawValue })
      while styles.last == " " { styles.removeLast() }
      if !styles.isEmpty { result += ":" + styles + "\n" }
    }
    return result
  }
}
