test_that("each reference has a verdict", {
  bibliography <- tempfile(fileext = ".bib")
  writeLines(c("@misc{nest, doi = {10.5555/(nest)7.}}", "@misc{none, title = {No name}}", "@misc{sum, doi = {10.1186/s40981-020-0361-0}}"), bibliography)
  rows <- doi_check(bibliography)
  expect_identical(rows$key, c("nest", "none", "sum"))
  expect_identical(rows$line, c(1, 2, 3))
  expect_identical(rows$verdict, c("written_wrongly", "no_doi", "wrong_check_digit"))
  expect_identical(rows$repair[1], "10.5555/(nest)7")
  expect_identical(attr(rows, "report")$references, 3)
})

test_that("a pattern is expanded", {
  folder <- tempfile()
  dir.create(folder)
  for (name in c("a", "b")) writeLines(sprintf("@misc{%s, doi = {10.5555/%s}}", name, name), file.path(folder, paste0(name, ".bib")))
  expect_identical(doi_check(file.path(folder, "*.bib"))$key, c("a", "b"))
})

test_that("wrong arguments are errors with plain messages", {
  expect_error(doi_check("/none.bib"), "/none.bib: ", class = "doisift_error")
  expect_error(doi_check(tempdir(), output = "x"), "output: ", class = "doisift_error")
})
