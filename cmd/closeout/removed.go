package main

// removedCommands says what to use instead of a command that an earlier version had.
var removedCommands = map[string]string{
	"canary": "closeout lint names what a contract cannot refuse",
}

// removedFlags says what to use instead of a flag that an earlier version had. A key is the command and the flag.
var removedFlags = map[string]string{}
