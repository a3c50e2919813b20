import AuthProgram

Program.main()
