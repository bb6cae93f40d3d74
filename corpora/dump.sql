CREATE TABLE work (id INTEGER, doi TEXT, host TEXT);
INSERT INTO work VALUES (1,'10.5555/sql.one.1','10.0.0.1'),(2,'10.5555/sql.two.2','10.255.0.0/16');
INSERT INTO work VALUES (3,'https://doi.org/10.5555/sql.url.3',NULL);
UPDATE work SET doi = '10.5555/SQL.Upper.4' WHERE doi = '10.5555/sql.upper.4';
-- see doi:10.5555/sql.comment.5
