"""What is kept of a run, in which files, and which code made it. Knows no benchmark and no agent."""
