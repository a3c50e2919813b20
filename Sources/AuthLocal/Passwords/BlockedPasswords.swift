enum BlockedPasswords {
  static let all: Set<String> = []
}
