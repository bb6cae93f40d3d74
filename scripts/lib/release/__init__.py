"""The parts of scripts/release: `product` is what Cargo.toml says, `targets` the systems, and the other modules make one kind of artefact each,
and try it where this machine can."""
