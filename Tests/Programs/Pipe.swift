import Glibc

/// Two connected descriptors that are not inherited by a program that another thread starts
/// meanwhile.
///
/// After `pipe` there is a moment without close-on-exec, in which such a program would inherit the
/// write end, and `pipe2` is not visible from Swift. A named pipe whose name is removed immediately
/// has no such moment.
struct Pipe {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws(SpawnError) {
    var directory = Array("/tmp/pipe-XXXXXX".utf8CString)
    guard mkdtemp(&directory) != nil else { throw SpawnError(program: "mkdtemp", errno: errno) }
    let parent = directory.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    let path = parent + "/pipe"
    defer {
      unlink(path)
      rmdir(parent)
    }
    guard mkfifo(path, 0o600) == 0 else { throw SpawnError(program: "mkfifo", errno: errno) }
    readEnd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard readEnd >= 0 else { throw SpawnError(program: "open", errno: errno) }
    writeEnd = open(path, O_WRONLY | O_CLOEXEC)
    guard writeEnd >= 0 else { throw SpawnError(program: "open", errno: errno) }
    _ = fcntl(readEnd, F_SETFL, 0)
  }
}
