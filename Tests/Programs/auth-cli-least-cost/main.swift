import AuthCLIProgram
import AuthRules
import AuthSQLite

Program { directories, label in
  LocalAuthority(
    directory: directories.data, label: label, origin: OwnOrigin.find, busyWait: directories.patience, cost: .least,
    onlyReads: directories.isForShell)
}.main()
