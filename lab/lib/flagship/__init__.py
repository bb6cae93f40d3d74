"""The parts of scripts/bench flagship: `tools` knows the rivals and their commands, `jobs` holds those of libraries of Python, `answers`
compares what they wrote with the truth, `threads` finds the busiest thread, `forecast` extrapolates and `report` writes."""
