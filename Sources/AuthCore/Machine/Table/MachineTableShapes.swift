// The shapes of the states: names for those of one kind that may answer differently.

extension SessionState {
  /// The kind, and everything else that an answer may depend on.
  var shape: String {
    switch self {
    case .restoring(let state): state.shape
    case .loggedOut(let state): state.shape
    case .authenticating(let state): state.shape
    case .challenged(let state): state.shape
    case .loggedIn(let state): state.shape
    case .renewing(let state): state.shape
    case .loggingOut(let state): state.shape
    }
  }
}

extension Restoring {
  fileprivate var shape: String {
    switch (reading, obstacle) {
    case (.some, .none): "restoring, reading"
    case (.some, .some): "restoring, reading again"
    case (.none, .none): "restoring, not begun"
    case (.none, .some): "restoring, obstructed"
    }
  }
}

extension LoggedOut {
  fileprivate var shape: String {
    guard isUnfinished else { return leftovers.leases > 0 ? "loggedOut, a lease running" : "loggedOut" }
    var parts = ["loggedOut", "unfinished"]
    if targets != nil { parts.append("token known") }
    if sweeping { parts.append("whatever is kept") }
    if leftovers.leases > 0 { parts.append("a lease running") }
    return parts.joined(separator: ", ")
  }
}

extension Authenticating {
  fileprivate var shape: String {
    let work = saving == nil ? "asking" : "saving"
    switch from {
    case .restoring: return "authenticating from restoring, \(work)"
    case .loggedOut(let state): return "authenticating from \(state.shape), \(work)"
    }
  }
}

extension Challenged {
  fileprivate var shape: String {
    let work =
      switch step {
      case .waiting: "waiting"
      case .answering: "answering"
      }
    return switch from {
    case .login(.restoring): "challenged from restoring, \(work)"
    case .login(.loggedOut(let state)): "challenged from \(state.shape), \(work)"
    case .session(_, let purpose, _): "challenged for \(purpose.rawValue), \(work)"
    }
  }
}

extension LoggedIn {
  fileprivate var shape: String {
    if renewals.begun == 0 { return "loggedIn" }
    return renewals.isNoted ? "loggedIn, renewed recently" : "loggedIn, renewal failed recently"
  }
}

extension Renewing {
  fileprivate var shape: String {
    switch step {
    case .asking: "renewing for \(purpose.rawValue), asking"
    case .saving: "renewing for \(purpose.rawValue), saving"
    case .rereading: "renewing for \(purpose.rawValue), rereading"
    }
  }
}

extension LoggingOut {
  fileprivate var shape: String {
    let step =
      switch self.step {
      case .draining: "draining"
      case .revoking: "revoking"
      case .erasing: "erasing"
      }
    var parts = ["loggingOut", step]
    switch targets {
    case .none: break
    case .some(let targets): parts.append(targets.pending == nil ? "one token" : "two tokens")
    }
    if sweeping { parts.append("whatever is kept") }
    if !revoking { parts.append("already revoked") }
    if successor != nil { parts.append("with a successor") }
    if leftovers.notRevoked || leftovers.notErased { parts.append("unfinished") }
    if leftovers.leases > 0 { parts.append("a lease running") }
    return parts.joined(separator: ", ")
  }
}
