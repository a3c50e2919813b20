import Foundation
import Glibc
import Races
import Terminals

/// What a disk holds, and what of it a power cut may lose.
///
/// As POSIX promises it, and no more: the content of a file is durable after its own
/// synchronisation, its name after that of its directory, and anything else may be lost or kept in
/// any combination, sector by sector and name by name. Only a rename is one change.
struct Disk {
  /// What a power cut loses of all that is not durable.
  enum Loss: CustomStringConvertible {
    case nothing, everything, contents, names
    /// Each sector and each name by chance.
    case some(seed: UInt64)

    var description: String {
      switch self {
      case .nothing: "nothing"
      case .everything: "everything that is not durable"
      case .contents: "contents, and no names"
      case .names: "names, and no contents"
      case .some(let seed): "some of it (seed \(seed))"
      }
    }
  }

  private struct Node {
    let isDirectory: Bool
    let mode: mode_t
    var bytes: [UInt8] = []
    var names: [String: Int] = [:]
    /// What is not durable yet.
    var writes: [Write] = []
    var moves: [[String: Int?]] = []
  }

  /// Without bytes, the new size.
  private struct Write {
    let offset: Int
    let bytes: [UInt8]?
  }

  private static let sector = 512
  private let root: String
  private var nodes: [Node] = []
  /// The nodes by their paths, as a program sees them.
  private var places: [String: Int] = [:]

  /// A disk on which all that lies below a directory is durable.
  init(_ root: String) throws {
    self.root = root
    try load(root)
  }

  private mutating func load(_ path: String) throws {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw PseudoTerminal.Failure(description: "cannot read \(path)") }
    let isDirectory = facts.st_mode & S_IFMT == S_IFDIR
    places[path] = nodes.count
    nodes.append(Node(isDirectory: isDirectory, mode: facts.st_mode & 0o777))
    let index = nodes.count - 1
    guard isDirectory else {
      nodes[index].bytes = Array(FileManager.default.contents(atPath: path) ?? Data())
      return
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try load("\(path)/\(name)")
      nodes[index].names[name] = places["\(path)/\(name)"]
    }
  }

  /// Does what a program did.
  mutating func perform(_ call: DiskCall) throws {
    switch call.change {
    case .open(let mode, let empties):
      if places[call.path] == nil { add(Node(isDirectory: false, mode: mode), at: call.path) }
      if empties, let node = places[call.path] { nodes[node].writes.append(Write(offset: 0, bytes: nil)) }
    case .write(let offset, let bytes): nodes[try node(call)].writes.append(Write(offset: offset, bytes: bytes))
    case .resize(let size): nodes[try node(call)].writes.append(Write(offset: size, bytes: nil))
    case .makeDirectory(let mode): add(Node(isDirectory: true, mode: mode), at: call.path)
    case .remove: move([call.path: nil])
    case .rename(let other): move([call.path: nil, other: try node(call)])
    case .link(let other): move([other: try node(call)])
    case .synchronize:
      let node = try node(call)
      (nodes[node].bytes, nodes[node].names) = kept(of: node) { true }
      (nodes[node].writes, nodes[node].moves) = ([], [])
    case .answer: break
    }
  }

  private func node(_ call: DiskCall) throws -> Int {
    guard let node = places[call.path] else { throw PseudoTerminal.Failure(description: "\(call): it does not exist") }
    return node
  }

  private mutating func add(_ node: Node, at path: String) {
    nodes.append(node)
    move([path: nodes.count - 1])
  }

  /// Changes names in one directory, as one change.
  private mutating func move(_ changes: [String: Int?]) {
    for (path, node) in changes { places[path] = node }
    let directory = changes.keys.first.map { ($0 as NSString).deletingLastPathComponent } ?? root
    guard let parent = places[directory] else { return }
    nodes[parent].moves.append(
      Dictionary(uniqueKeysWithValues: changes.map { (($0 as NSString).lastPathComponent, $1) }))
  }

  /// What a node holds if `keeps` says of each sector and each name whether it is kept.
  private func kept(of index: Int, _ keeps: () -> Bool) -> (bytes: [UInt8], names: [String: Int]) {
    var (bytes, names) = (nodes[index].bytes, nodes[index].names)
    func grow(to size: Int) { if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) } }
    for write in nodes[index].writes {
      guard let written = write.bytes else {
        if keeps() { bytes.count > write.offset ? bytes.removeSubrange(write.offset...) : grow(to: write.offset) }
        continue
      }
      var start = write.offset
      while start < write.offset + written.count {
        let end = min(start / Self.sector * Self.sector + Self.sector, write.offset + written.count)
        if keeps() {
          grow(to: end)
          bytes.replaceSubrange(start..<end, with: written[(start - write.offset)..<(end - write.offset)])
        } else if bytes.count < end, keeps() {
          // The new size is there, and the sector is not.
          grow(to: end)
        }
        start = end
      }
    }
    for moved in nodes[index].moves where keeps() { for (name, node) in moved { names[name] = node } }
    return (bytes, names)
  }

  /// Writes what a power cut leaves into a directory.
  ///
  /// - Parameters:
  ///   - path: The directory, which does not exist.
  ///   - loss: What is lost.
  /// - Throws: What kept it from being written.
  func write(to path: String, losing loss: Loss) throws {
    var chance = SeededGenerator(seed: 0)
    if case .some(let seed) = loss { chance = SeededGenerator(seed: seed) }
    func write(_ index: Int, to path: String) throws {
      let node = nodes[index]
      let (bytes, names) = kept(of: index) {
        switch loss {
        case .nothing: true
        case .everything: false
        case .contents: node.isDirectory
        case .names: !node.isDirectory
        case .some: Bool.random(using: &chance)
        }
      }
      guard node.isDirectory else {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: Int(node.mode)]
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: attributes) else {
          throw PseudoTerminal.Failure(description: "cannot write \(path)")
        }
        return
      }
      guard mkdir(path, 0o700) == 0 else { throw PseudoTerminal.Failure(description: "cannot make \(path)") }
      for (name, node) in names.sorted(by: { $0.key < $1.key }) { try write(node, to: "\(path)/\(name)") }
      chmod(path, node.mode)
    }
    guard let index = places[root] else { return }
    try write(index, to: path)
  }
}
