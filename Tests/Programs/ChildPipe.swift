import Glibc

/// Two connected descriptors that are not inherited by a program that another thread starts
/// meanwhile.
///
/// After `pipe` there is a moment without close-on-exec, in which such a program would inherit the
/// write end, and `pipe2` is not visible from Swift. A named pipe whose name is removed immediately
/// has no such moment.
package struct ChildPipe {
  package let readEnd: Int32
  package let writeEnd: Int32

  package init() throws(SpawnError) {
    var template = Array("/tmp/pipe-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SpawnError(program: "mkdtemp", errno: errno) }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = folder + "/pipe"
    defer {
      unlink(path)
      rmdir(folder)
    }
    guard mkfifo(path, 0o600) == 0 else { throw SpawnError(program: "mkfifo", errno: errno) }
    readEnd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    writeEnd = open(path, O_WRONLY | O_CLOEXEC)
    guard readEnd >= 0, writeEnd >= 0 else { throw SpawnError(program: "open", errno: errno) }
    _ = fcntl(readEnd, F_SETFL, 0)
  }
}
