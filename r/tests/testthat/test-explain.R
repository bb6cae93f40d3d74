test_that("each position has a verdict and its steps", {
  explained <- doi_explain("(see 10.5555/a1). Not 10.0.0.0/8")
  expect_identical(unique(explained$start), c(6, 23))
  found <- explained[explained$start == 6, ]
  expect_identical(unique(found$verdict), "found")
  expect_identical(unique(found$doi), "10.5555/a1")
  expect_true("suffix.round-bracket" %in% found$rule)
  refused <- explained[explained$start == 23, ]
  expect_identical(unique(refused$verdict), "refused")
  expect_false(anyNA(refused$reason))
})

test_that("several texts and data frames are explained", {
  expect_identical(unique(doi_explain(c("10.5555/a", NA, "10.5555/b"))$row), c(1, 3))
  expect_identical(unique(doi_explain(data.frame(AB = "10.5555/a"))$column), "AB")
  expect_identical(nrow(doi_explain("none")), 0L)
})
