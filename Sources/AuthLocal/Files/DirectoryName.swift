extension PrivateDirectory {
  /// The directory of this name, as it stands before any slash and dot at its end.
  ///
  /// With them the system would follow a symbolic link, and what is refused under one spelling would pass under the other.
  init(named name: String) {
    var bytes = name.utf8[...]
    while bytes.count > 1 {
      if bytes.last == UInt8(ascii: "/") {
        bytes = bytes.dropLast()
      } else if bytes.suffix(2).elementsEqual("/.".utf8) {
        bytes = bytes.dropLast(bytes.count == 2 ? 1 : 2)
      } else {
        break
      }
    }
    self.init(path: String(bytes) ?? name)
  }
}
