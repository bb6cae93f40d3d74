"""The parts of scripts/bench accuracy: `names` chooses names, `values` writes something around them, `rows` puts values into rows,
`classes` holds the classes of texts, `tools` the programs that are measured, `score` compares, `report` and `chart` show."""
