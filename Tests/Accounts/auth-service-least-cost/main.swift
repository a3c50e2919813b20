import AuthRules
import AuthServiceProgram

ServiceProgram(cost: .least).main()
