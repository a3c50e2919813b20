import Glibc

exit(await Program.run().rawValue)
