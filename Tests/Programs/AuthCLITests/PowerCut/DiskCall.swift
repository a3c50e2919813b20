import Glibc

/// A call that changes a disk or synchronises it.
struct DiskCall: CustomStringConvertible {
  enum Change {
    /// Opens a file, which is created if it is missing, and emptied if so asked.
    case open(mode: mode_t, empties: Bool)
    case write(at: Int, [UInt8])
    case resize(Int)
    case makeDirectory(mode_t)
    case remove
    case rename(to: String)
    case link(to: String)
    case synchronize
    /// An answer to another process: what came before it is acknowledged.
    case answer
  }

  let path: String
  let change: Change

  var file: String { path.split(separator: "/").last.map(String.init) ?? "" }

  var description: String {
    switch change {
    case .open: "open \(file)"
    case .write(let offset, let bytes): "write \(bytes.count) bytes of \(file) at \(offset)"
    case .resize(let size): "resize \(file) to \(size)"
    case .makeDirectory: "make the directory \(file)"
    case .remove: "remove \(file)"
    case .rename(let other): "rename \(file) to \(other)"
    case .link(let other): "link \(file) to \(other)"
    case .synchronize: "synchronise \(file)"
    case .answer: "answer"
    }
  }
}
