/// A change to an account; its name is that of the command.
package enum AccountChange: String, Sendable {
  case disable, enable, unlock, promote, demote
}
