"""Jobs in, records out: in this process or in several, whatever the benchmark."""
