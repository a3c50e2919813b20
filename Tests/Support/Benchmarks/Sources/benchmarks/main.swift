import Glibc

// Code at the top level belongs to the main actor and is slower for it; hence a function.
exit(run(Array(CommandLine.arguments.dropFirst())))
