import AuthBackend
import AuthServiceProgram

ServiceProgram(cost: .least).main()
