// The module's files are on their way.
