package main

// removedCommands says what to use instead of a command that an earlier version had.
var removedCommands = map[string]string{
	"canary": "closeout lint names what a contract cannot refuse",
	"reopen": "closeout item release ITEM --reason WHY gives new tries",
}

// removedFlags says what to use instead of a flag that an earlier version had. A key is the command and the flag.
var removedFlags = map[string]string{
	"scan --add":    "scan the longer list into another state folder: closeout item scan LIST --template FILE --state FOLDER",
	"scan --fence":  "docs/items.md says what keeps an agent from the state folder; no result names it any more",
	"scan --reason": "write it where the team reads it; a plan is not pinned again",
	"scan --repin":  "scan into another state folder: closeout item scan --state FOLDER",
}
