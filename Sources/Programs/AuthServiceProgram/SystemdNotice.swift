import AuthService
import Glibc

/// A notification of the service to systemd.
///
/// Source: sd_notify(3).
enum SystemdNotice: String, Sendable {
  case ready = "READY=1"
  case stopping = "STOPPING=1"

  /// Sends it, where systemd asked for it.
  func send() {
    guard let place = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }),
      var address = sockaddr_un(path: place)
    else { return }
    // A name that begins with "@" is in no file system, and its first byte is 0.
    if place.hasPrefix("@") { address.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + place.utf8.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    _ = address.withPointer { pointer, _ in
      sendto(descriptor, rawValue, rawValue.utf8.count, Int32(MSG_NOSIGNAL), pointer, length)
    }
  }
}
