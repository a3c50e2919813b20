import AuthLocal
import AuthProgram

Program { directory, label in
  LocalAuthority(directory: directory, label: label, origin: OwnOrigin.find)
}.main()
