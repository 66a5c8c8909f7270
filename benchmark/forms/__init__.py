"""Generated pages with goals and checkable outcomes, beside the benchmarks: to train on, and to try paraphrases on."""
