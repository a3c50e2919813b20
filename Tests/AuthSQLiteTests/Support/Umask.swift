import Glibc

/// Runs `body` under another umask.
///
/// The umask belongs to the process; tests beside this one do not mind, because what they test sets
/// modes itself.
func withUmask(_ mask: mode_t, _ body: () -> Void) {
  let before = umask(mask)
  body()
  umask(before)
}
