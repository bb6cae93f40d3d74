test_that("dirty texts become names", {
  dirty <- c("DOI: 10.1002/abc.", "10.1038/nature07634.pmid:19020500", "10.1002/abc and 10.1002/xyz", NA)
  expect_identical(doi_clean(dirty), c("10.1002/abc", "10.1038/nature07634", NA, NA))
})

test_that("a data frame gets the name, its status and the reason", {
  works <- data.frame(DI = c("10.1002/abc", "10.1002/ABC", "10.1002/abc.", "10.1002/abc and 10.1002/xyz", "none", "", NA))
  result <- doi_clean(works)
  expect_identical(names(result), c("DI", "doi_clean", "doi_status", "doi_reason"))
  expect_identical(result$doi_clean, c(rep("10.1002/abc", 3), NA, NA, NA, NA))
  expect_identical(result$doi_status, c("unchanged", "normalized", "cleaned", "several", "refused", "empty", "empty"))
  expect_identical(result$doi_reason[2], "case")
  expect_match(result$doi_reason[3], "^tail\\.")
  expect_match(result$doi_reason[4], "`multiple = TRUE`", fixed = TRUE)
  expect_identical(is.na(result$doi_reason), c(TRUE, FALSE, FALSE, FALSE, FALSE, TRUE, TRUE))
})

test_that("a cell may hold several names", {
  expect_identical(doi_clean("doi:10.1002/ABC; 10.1002/xyz.", multiple = TRUE), "10.1002/abc; 10.1002/xyz")
})

test_that("several columns are named after themselves", {
  works <- data.frame(a = "10.1/A", b = NA)
  expect_identical(names(doi_clean(works, columns = c("a", "b"))), c("a", "b", "a_clean", "a_status", "a_reason", "b_clean", "b_status", "b_reason"))
  expect_error(doi_clean(doi_clean(works, columns = "a"), columns = "b"), "doi_clean already", class = "doisift_error")
})

test_that("a tibble stays a tibble", {
  skip_if_not_installed("tibble")
  expect_s3_class(doi_clean(tibble::tibble(DOI = "10.1/A")), "tbl_df")
})

test_that("rows are numbered through batches", {
  found <- doi_extract(c(rep("none", 262144), "10.5555/a"))
  expect_identical(found$row, 262145)
})
