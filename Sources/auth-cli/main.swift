import AuthLocal
import AuthProgram

Program { directory, label in LocalAuthority(directory: directory, label: label) }.main()
