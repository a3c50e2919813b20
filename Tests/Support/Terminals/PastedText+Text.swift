package import CommandLineKit

extension PastedText {
  /// Creates a paste with this text.
  package convenience init(_ text: String) {
    let bytes = WipedBytes(capacity: text.utf8.count)
    for byte in text.utf8 { bytes.append(byte) }
    self.init(bytes)
  }
}
