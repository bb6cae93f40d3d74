"""The parts of scripts/bench compare: `texts` makes the inputs, `tools` installs the rivals and knows their commands, `jobs` holds
those of libraries of Python, `report` writes the tables and `chart` the picture."""
