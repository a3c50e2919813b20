import AuthCLIProgram
import AuthSQLite

Program { directories, label in
  LocalAuthority(
    directory: directories.data, label: label, origin: OwnOrigin.find, busyWait: directories.patience,
    onlyReads: directories.isForShell)
}.main()
