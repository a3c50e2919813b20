import AuthCLIProgram
import AuthRules
import AuthSQLite

Program { places, label in
  LocalAuthority(
    directory: places.data, label: label, origin: OwnOrigin.find, busyWait: places.patience, cost: .least,
    onlyReads: places.isForShell)
}.main()
