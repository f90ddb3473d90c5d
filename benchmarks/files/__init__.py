"""Files and commands beside peers: what a command takes, what a table becomes, how files are read and written."""
