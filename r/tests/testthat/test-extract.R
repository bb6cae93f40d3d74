test_that("mentions have the places of their characters", {
  text <- c("Siehe (doi:10.5555/V\u00f6gel.2024); oder https://doi.org/10.5555/a%28b%29.", NA, "none")
  found <- doi_extract(text)
  expect_identical(found$row, c(1, 1))
  expect_identical(found$doi, c("10.5555/v\u00f6gel.2024", "10.5555/a(b)"))
  expect_identical(found$form, c("doi", "url"))
  expect_identical(substr(text[found$row], found$start, found$end), found$text)
})

test_that("a text in latin1 has the places of its characters", {
  text <- iconv("\u00e9\u00e9 10.5555/\u00e9a; 10.5555/b", "UTF-8", "latin1")
  found <- doi_extract(text)
  expect_identical(substring(text, found$start, found$end), found$text)
})

test_that("places in bytes count bytes", {
  text <- "\xff\xff 10.5555/ab"
  Encoding(text) <- "bytes"
  found <- doi_extract(text)
  expect_identical(c(found$start, found$end), c(4, 13))
})

test_that("check digits and guesses are told", {
  found <- doi_extract("10.1038/s41586-020-2694-2 or 10.5555/abc")
  expect_identical(found$check_digit, c("bad", NA))
})

test_that("nothing found is a frame without rows", {
  found <- doi_extract(c("none", NA))
  expect_identical(dim(found), c(0L, 8L))
  expect_identical(names(found), names(doi_extract("10.5555/a")))
})

test_that("all columns of a data frame that hold texts are searched", {
  works <- data.frame(id = 1:2, TI = c("none", "10.5555/b"), AB = factor(c("10.5555/a", "none")))
  found <- doi_extract(works)
  expect_identical(found$row, c(1, 2))
  expect_identical(found$column, c("AB", "TI"))
  expect_identical(doi_extract(works, columns = "TI")$doi, "10.5555/b")
  expect_error(doi_extract(data.frame(id = 1)), "no column with texts", class = "doisift_error")
})

test_that("the kind of the texts can be given", {
  expect_error(doi_extract("x", input_kind = "pdf"), "input_kind: ", class = "doisift_error")
  expect_identical(doi_extract("<p>10.5555/a&amp;b</p>", input_kind = "html")$doi, "10.5555/a&b")
})
