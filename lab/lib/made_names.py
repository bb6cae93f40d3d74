"""Names in the shapes that publishers give them, for scripts that are given no list of registered ones."""


def made(count):
    """Names that are dense as counters are."""
    shapes = [
        lambda n: f"10.1371/journal.pone.{n:07}",
        lambda n: f"10.1038/nature{n + 10000}",
        lambda n: f"10.1016/j.cell.{2000 + n % 20}.{n % 12 + 1:02}.{n % 900:03}",
        lambda n: f"10.1021/jp{n % 90 + 10}{n % 7}{n:05}",
        lambda n: f"10.5281/zenodo.{n + 100000}",
        lambda n: f"10.1101/{2015 + n % 10}.{n % 12 + 1:02}.{n % 28 + 1:02}.{n:06}",
        lambda n: f"10.1111/j.1365-{n % 9000 + 1000}.{1990 + n % 30}.{n % 9000 + 1000:05}.x",
        lambda n: f"10.3390/molecules{n % 30 + 1}{n:06}",
        lambda n: f"10.17487/rfc{n % 9000}",
        lambda n: f"10.7717/peerj-cs.{n}",
    ]
    return sorted({shapes[n % len(shapes)](n * 7919 % 100_000) for n in range(count)})
