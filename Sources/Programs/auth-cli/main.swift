import AuthCLIProgram
import AuthSQLite

Program { places, label in
  LocalAuthority(
    directory: places.data, label: label, origin: OwnOrigin.find, busyWait: places.patience,
    onlyReads: places.isForShell)
}.main()
