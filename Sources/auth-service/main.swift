import AuthServiceProgram

ServiceProgram().main()
