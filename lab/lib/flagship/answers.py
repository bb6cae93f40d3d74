"""Compares what a tool wrote with the truth of the generator. Both are tables of DuckDB."""
import dataclasses


@dataclasses.dataclass
class Answer:
    """How right a graph is; a row is a record, a reference and a name."""
    rows: int
    #: Names that fields state and are not there, and rows that say so of another name.
    missing: int
    extra: int
    #: Of the names in text alone.
    precision: float = None
    recall: float = None
    #: What is dirty about missing values, and how many of each.
    dirt: dict = dataclasses.field(default_factory=dict)


class Truth:
    def __init__(self, folder):
        import duckdb

        self.connection = duckdb.connect()
        options = "delim = '\\t', header = true, quote = '\"', escape = '\"', all_varchar = true"
        table = f"select record, ref_index::bigint as ref_index, value, doi, coalesce(dirt, '') as dirt, mined from read_csv('{folder}/references/*.tsv.gz', {options})"
        self.run(f"create table truth as {table}")
        self.run("create table stated as select record, ref_index, doi, dirt from truth where doi is not null")
        names = "select record, ref_index, doi as stated, unnest(string_split(mined, ' ')) as doi from truth where mined is not null"
        # Where a name is stated as well, one row is enough, and two are not wrong.
        self.run(f"create table mined as select record, ref_index, doi from ({names}) where doi is distinct from stated")

    @property
    def stated(self):
        return self.count("stated")

    @property
    def mined(self):
        return self.count("mined")

    def check(self, query, out, mines):
        """-> an `Answer`"""
        self.run(f"create or replace table answer as select distinct * from ({query.format(out=out)}) as rows(record, ref_index, doi, asserted)")
        self.run("create or replace view said as select record, ref_index, doi from answer where asserted")
        self.run("create or replace view found as select record, ref_index, doi from answer where not asserted")
        missing = "stated anti join said using (record, ref_index, doi)"
        answer = Answer(self.count("answer"), self.count(missing), self.count("said anti join stated using (record, ref_index, doi)"))
        answer.dirt = dict(self.run(f"select dirt, count(*) from {missing} group by dirt order by dirt").fetchall())
        if mines:
            right = self.count("found semi join mined using (record, ref_index, doi)")
            answer.precision = right / max(self.count("found anti join stated using (record, ref_index, doi)"), 1)
            answer.recall = right / max(self.mined, 1)
        return answer

    def run(self, statement):
        return self.connection.execute(statement)

    def count(self, rows):
        return self.run(f"select count(*) from {rows}").fetchone()[0]
