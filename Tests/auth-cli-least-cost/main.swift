import AuthBackend
import AuthLocal
import AuthProgram

Program { places, label in
  LocalAuthority(directory: places.data, label: label, origin: OwnOrigin.find, cost: .least)
}.main()
