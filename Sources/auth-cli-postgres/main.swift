import AuthPostgresProgram
import AuthProgram

Program.overServer().main()
