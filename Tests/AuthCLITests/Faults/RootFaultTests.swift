import Foundation
import Glibc
import Programs
import Testing

/// Faults that only root can bring about: files of another user, a full and a read-only disk, and
/// modes that bind.
///
/// For root no mode binds, so what a mode keeps out is run as another user id. Without root they
/// are skipped, which the test run says.
@Suite(
  "Faults made by root",
  .enabled(
    if: geteuid() == 0 && system("unshare -m setpriv true") == 0,
    "only root, with a mount table of its own and setpriv, can make these faults"),
  .timeLimit(.minutes(10)))
struct RootFaultTests {
  /// Plays a script in a home with alice, the administrator, and bob, where alice is logged in.
  ///
  /// `auth-cli` is the executable, `as_user` runs it as user id 4711, which may enter the home's
  /// directory.
  private func play(_ script: String) async throws -> String {
    let home = try await CommandHome(loggedIn: true)
    let preamble = """
      cd '\(home.file(""))'; alice='\(CommandHome.alice)'; db=home/authority.db
      auth-cli() { '\(home.executable)' "$@" 2>&1; status=$?; test $status = 0 || echo "[$status]"; }
      as_user() { setpriv --reuid 4711 --regid 4711 --clear-groups '\(home.executable)' "$@" 2>&1; status=$?; test $status = 0 || echo "[$status]"; }
      login() { echo "$alice" | auth-cli login alice --password-stdin; }

      """
    let outcome = try await Program(
      "unshare", ["-m", "bash", "-c", preamble + script], environment: home.environment, timeLimit: .seconds(120)
    ).run()
    try #require(outcome.ending == .exited(0), "\(outcome.ending): \(outcome.text)")
    return outcome.text.replacing(home.file(""), with: "")
  }

  @Test(
    "a file of another user is named with both user ids, and changed by nothing",
    arguments: ["authority.db", "authority.db-journal", "default.session"])
  func foreignFile(_ name: String) async throws {
    let text = try await play(
      "chown 12345 home/\(name); cksum home/* >before; auth-cli status; auth-cli pay 1 --to bob; cksum home/* | diff before -"
    )
    let expected = """
      auth-cli: home/\(name) belongs to user id 12345, and this is user id 0
      As root: chown 0 'home/\(name)'
      [3]

      """
    #expect(text == expected + expected)
  }

  @Test("a session file of another user is set aside by logging in, and by logging out")
  func foreignSession() async throws {
    let text = try await play(
      """
      chown 12345 home/default.session; cp -a home other
      login; stat -c '%u %a' home/default.session home/default.session.corrupt-1
      rm -r home; mv other home; auth-cli logout; stat -c '%u' home/default.session.corrupt-1
      """)
    #expect(
      text == """
        Logged in as alice. Without activity the session ends in 30 min.
        0 600
        12345 600
        Nobody was logged in; the unusable session was set aside.
        12345

        """)
  }

  @Test("a directory and a lock of another user are named with both user ids")
  func foreignDirectory() async throws {
    let text = try await play(
      """
      chown 12345 home/default.lock; login; chown 0 home/default.lock; auth-cli status --quiet
      chown 12345 home; auth-cli status; auth-cli logout --quiet
      """)
    #expect(
      text == """
        auth-cli: home/default.lock belongs to user id 12345, and this is user id 0
        As root: chown 0 'home/default.lock'
        [3]
        auth-cli: home belongs to user id 12345, and this is user id 0
        Choose a directory of your own that nothing else uses.
        [3]
        auth-cli: the logout failed: the database was not told; the session file is still there (home belongs to user id 12345, and this is user id 0)
        Remove the cause, then log out again: auth-cli logout
        [3]

        """)
  }

  @Test("what a mode keeps out is named, with the mode or both user ids")
  func denied() async throws {
    let text = try await play(
      """
      chmod 755 .; chown -R 4711 home; as_user status --quiet
      for mode in 000 500; do
        chmod $mode home; as_user status | head -1; echo "$alice" | as_user login alice --password-stdin; chmod 700 home
      done
      chmod 000 $db; as_user pay 1 --to bob; chmod 400 $db; as_user status --quiet; as_user pay 1 --to bob; chmod 600 $db
      chmod 000 home/default.session; as_user status; echo "$alice" | as_user login alice --password-stdin
      mkdir -m 700 shut; mv home shut; ln -s /nowhere home
      AUTH_CLI_HOME=$PWD/shut/home as_user status
      """)
    #expect(
      text == """
        auth-cli: home/default.session cannot be examined: Permission denied; home has mode 0000
        auth-cli: home/authority.db cannot be examined: Permission denied; home has mode 0000
        chmod u+rwx 'home'
        [3]
        Logged in as alice (alice, administrator).
        auth-cli: home/.default.session.new cannot be made: Permission denied; home has mode 0500
        chmod u+rwx 'home'
        [3]
        auth-cli: home/authority.db or its journal cannot be opened: Permission denied; home/authority.db has mode 0000
        chmod u+rw 'home/authority.db'
        [3]
        auth-cli: home/authority.db cannot be written: attempt to write a readonly database
        Make the file and its directory writable for this user; nothing was changed.
        [3]
        auth-cli: home/default.session has mode 0000, which keeps its owner out
        chmod 600 'home/default.session'
        [3]
        Logged in as alice. Without activity the session ends in 30 min.
        auth-cli: shut/home cannot be examined: Permission denied; shut belongs to user id 0, and this is user id 4711
        Choose a directory of your own that nothing else uses.
        [3]

        """)
  }

  @Test("a full disk: nothing is lost, and everything works again when there is room")
  func full() async throws {
    let text = try await play(
      """
      cp -a home good; mount -t tmpfs -o size=192k,mode=700 tmpfs home || exit 9
      head -c 1000000 /dev/zero >home/fill 2>/dev/null; echo "$alice" | auth-cli register carol --password-stdin | head -1
      auth-cli status --quiet; rm home/*; cp -a good/* home; head -c 1000000 /dev/zero >home/fill 2>/dev/null
      sum=$(cksum $db home/default.session)
      until auth-cli pay 0.01 --to bob | grep -q 'cannot grow'; do sum=$(cksum $db home/default.session); done
      test "$sum" = "$(cksum $db home/default.session)" || echo changed
      auth-cli status --quiet; echo "$alice" | auth-cli login alice --context other --password-stdin | tail -1
      rm home/fill; auth-cli pay 0.01 --to bob --quiet
      """)
    #expect(
      text == """
        auth-cli: home/authority.db cannot grow: no space left
        [1]
        [3]

        """)
  }

  @Test("a boot id that cannot be read is an error of its own, and /proc is to be mounted only where it is missing")
  func bootID() async throws {
    let text = try await play(
      """
      id=/proc/sys/kernel/random/boot_id; : >shut; chmod 000 shut; chmod 755 .; chown -R 4711 home
      mount --bind shut $id || exit 9; as_user status; umount $id
      mount --bind /dev/null $id; as_user pay 1 --to bob; umount $id
      mount -t tmpfs tmpfs ${id%/*}; as_user status
      """)
    #expect(
      text == """
        auth-cli: the boot id cannot be read: /proc/sys/kernel/random/boot_id: Permission denied
        Without it no limit can be judged; make it readable for this user.
        [3]
        auth-cli: the boot id cannot be read: /proc/sys/kernel/random/boot_id does not hold 32 hexadecimal digits
        Without it no limit can be judged; let the kernel's own file be seen there.
        [3]
        auth-cli: the boot id cannot be read: /proc/sys/kernel/random/boot_id: No such file or directory
        Without it no limit can be judged; mount /proc.
        [3]

        """)
  }

  @Test("a read-only disk is read, and says so when something is to be written")
  func readOnly() async throws {
    let text = try await play(
      """
      # For a minute from here on activity is not written.
      auth-cli home --quiet
      mount --bind home home && mount -o remount,ro,bind home || exit 9
      auth-cli status | head -1; auth-cli receipts --quiet; auth-cli pay 1 --to bob; login; auth-cli logout | head -1
      auth-cli status --quiet
      """)
    #expect(
      text == """
        Logged in as alice (alice, administrator).
        auth-cli: home/authority.db cannot be written: attempt to write a readonly database
        Make the file and its directory writable for this user; nothing was changed.
        [3]
        auth-cli: home/authority.db cannot be written: attempt to write a readonly database
        Make the file and its directory writable for this user; nothing was changed.
        [3]
        auth-cli: the logout failed: the database was not told; the session file is still there (home/authority.db cannot be written: attempt to write a readonly database; home/default.lock cannot be opened: Read-only file system)

        """)
  }
}
