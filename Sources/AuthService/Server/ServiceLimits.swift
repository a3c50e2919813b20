/// What one caller may take, and for how long the service waits for it.
package struct ServiceLimits: Hashable, Sendable {
  /// Connections in all, and of one user of the machine.
  package var connections = 4096
  package var connectionsOfUser = 1024
  /// Requests of one connection that are not answered yet; it is not read from meanwhile.
  package var requestsOfConnection = 16
  /// Threads that wait for the database, and requests that wait for one.
  package var databaseThreads: Int
  package var requests = 1024
  package var requestsOfUser = 512
  /// Threads that hash passwords, and requests that wait for one; a hash takes 64 MiB.
  package var hashThreads: Int
  package var passwords = 256
  package var passwordsOfUser = 224
  /// For the first frame, for the rest of a frame that has begun, and for reading an answer.
  package var frameTime = Duration.seconds(10)
  /// For a thread that has a connection to the database; the wait for a hash thread has no limit
  /// but the length of its queue.
  package var answerTime = Duration.seconds(10)
  /// For finishing what runs, after SIGTERM.
  package var stopTime = Duration.seconds(10)

  package init(databaseThreads: Int, hashThreads: Int) {
    self.databaseThreads = databaseThreads
    self.hashThreads = hashThreads
  }

  /// How much of what a user may take is for one name of the user.
  static func ofName(_ share: Int) -> Int { max(1, share / 4) }

  var requestBounds: FairQueue<Job>.Bounds {
    .init(
      places: requests, placesOfUser: requestsOfUser, placesOfName: Self.ofName(requestsOfUser),
      runningOfUser: max(1, databaseThreads - 1))
  }

  var passwordBounds: FairQueue<Job>.Bounds {
    .init(
      places: passwords, placesOfUser: passwordsOfUser, placesOfName: Self.ofName(passwordsOfUser),
      runningOfUser: max(1, hashThreads - 1))
  }
}
