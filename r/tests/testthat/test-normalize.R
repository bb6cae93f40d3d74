test_that("every presentation form becomes the key", {
  forms <- c("https://doi.org/10.1000/ABC", "doi:10.1000/abc", "urn:doi:10.1000:ABC", "10.1000/Abc", "http://dx.doi.org/10.1000/%41bc")
  expect_identical(doi_normalize(forms), rep("10.1000/abc", 5))
})

test_that("NA stays NA, and what is no name becomes NA", {
  expect_identical(doi_normalize(c(NA, "n/a", "", "10.1000/a")), c(NA, NA, NA, "10.1000/a"))
  expect_identical(doi_normalize(c(NA, NA)), c(NA_character_, NA_character_))
  expect_identical(doi_normalize(character()), character())
  expect_identical(doi_normalize(NULL), character())
})

test_that("names of elements, and factors", {
  expect_identical(doi_normalize(c(a = "doi:10.1/A", b = NA)), c(a = "10.1/a", b = NA))
  expect_identical(doi_normalize(factor(c("doi:10.1/A", "doi:10.1/A", NA))), c("10.1/a", "10.1/a", NA))
})

test_that("a name can be written in each form", {
  written <- function(to) doi_normalize("10.1000/A<b", to = to, encode = "recommended")
  expect_identical(written("name"), "10.1000/A<b")
  expect_identical(written("url"), "https://doi.org/10.1000/A%3Cb")
  expect_identical(written("urn"), "urn:doi:10.1000:A%3Cb")
})

test_that("strict refuses reserved names", {
  expect_identical(doi_normalize("10.1000/1/abc", strict = TRUE), NA_character_)
})

test_that("identifiers of arXiv are read if that is asked for", {
  expect_identical(doi_normalize("arXiv:2101.00001"), NA_character_)
  expect_identical(doi_normalize("arXiv:2101.00001", arxiv = TRUE), "10.48550/arxiv.2101.00001")
})

test_that("strings are read as R marks them, and results are UTF-8", {
  utf8 <- "10.5555/v\u00f6gel"
  latin1 <- iconv(utf8, "UTF-8", "latin1")
  bytes <- utf8
  Encoding(bytes) <- "bytes"
  result <- doi_normalize(c(utf8, latin1, bytes))
  expect_identical(result, rep(utf8, 3))
  expect_identical(Encoding(result), rep("UTF-8", 3))
  expect_identical(Encoding(c(latin1, bytes)), c("latin1", "bytes"))
})

test_that("bytes that are not UTF-8 are no name, and Windows-1252 for dirty data", {
  broken <- "10.1000/a\x961"
  Encoding(broken) <- "bytes"
  expect_identical(doi_normalize(broken), NA_character_)
  expect_identical(doi_normalize(broken, clean = TRUE), "10.1000/a-1")
})

test_that("columns of a data frame are replaced", {
  works <- data.frame(id = 1:2, DI = c("doi:10.1/A", NA), other = c("doi:10.1/A", NA))
  result <- doi_normalize(works)
  expect_identical(result$DI, c("10.1/a", NA))
  expect_identical(result[c("id", "other")], works[c("id", "other")])
  expect_identical(doi_normalize(works, columns = c("DI", "other"))$other, c("10.1/a", NA))
})

test_that("a tibble stays a tibble", {
  skip_if_not_installed("tibble")
  works <- tibble::tibble(DOI = c("doi:10.1/A", NA))
  expect_identical(doi_normalize(works), tibble::tibble(DOI = c("10.1/a", NA)))
})

test_that("errors are conditions with plain messages", {
  expect_error(doi_normalize(1:3), "x is of the class integer", class = "doisift_error")
  expect_error(doi_normalize("10.1/a", to = "uri"), "to: ", class = "doisift_error")
  expect_error(doi_normalize("10.1/a", clean = NA), "clean: TRUE or FALSE is wanted", class = "doisift_error")
  expect_error(doi_normalize(data.frame(a = "x")), "no column DOI or DI", class = "doisift_error")
  expect_error(doi_normalize(data.frame(a = "x"), columns = "b"), "no column b; it has a", class = "doisift_error")
  expect_error(doi_normalize("10.1/a", known = "/none.doix"), "none.doix", class = "doisift_error")
})

test_that("many cells are read in batches", {
  cells <- rep(c("https://doi.org/10.1000/ABC", NA, "n/a"), 200000)
  expect_identical(doi_normalize(cells), rep(c("10.1000/abc", NA, NA), 200000))
})
