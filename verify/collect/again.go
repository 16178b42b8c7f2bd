package collect

// Again is a stand-in.
func Again(dir string, o Options) (*Found, error) { return Bundle(dir) }
