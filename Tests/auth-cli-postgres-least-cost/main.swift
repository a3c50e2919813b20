import AuthBackend
import AuthPostgresProgram
import AuthProgram

Program.overServer(cost: .least).main()
