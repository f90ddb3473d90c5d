"""Files and commands beside peers: how long a command takes, what a table becomes, and how files are read and written."""
