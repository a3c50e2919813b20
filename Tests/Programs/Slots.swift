import Glibc

/// One slot for each core of the computer, assigned in the order of the requests.
actor Slots {
  static let shared = Slots(count: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) {
    free = count
  }

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
