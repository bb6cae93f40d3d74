# Vectors whose strings are made when they are read are as any other.
lazy <- function(n = 5) {
  texts <- paste0("doi:10.5555/\u00c4", seq_len(n))
  texts[3] <- NA
  doi_normalize(texts)
}
plain <- function(n = 5) {
  texts <- paste0("10.5555/\u00c4", seq_len(n))
  texts[3] <- NA
  texts
}

test_that("elements come in any order, and more than once", {
  names <- lazy()
  expect_identical(names[5], plain()[5])
  expect_identical(names[c(5, 3, 1, 7)], plain()[c(5, 3, 1, 7)])
  expect_identical(rev(names), rev(plain()))
  expect_identical(names, plain())
  expect_identical(is.na(lazy()), is.na(plain()))
  expect_identical(match(plain(), lazy()), 1:5)
  expect_identical(sort(lazy()), sort(plain()))
  expect_identical(paste(lazy(), "x"), paste(plain(), "x"))
})

test_that("an element that is set changes no copy", {
  names <- lazy()
  copy <- names
  names[2] <- "other"
  expect_identical(names[2:3], c("other", NA))
  expect_identical(copy, plain())
  names[7] <- "longer"
  expect_identical(names[6:7], c(NA, "longer"))
})

test_that("attributes and columns", {
  names <- lazy()
  attr(names, "from") <- "test"
  expect_identical(as.vector(names), plain())
  frame <- data.frame(doi = lazy())
  frame$doi[1] <- NA
  expect_identical(frame$doi, c(NA, plain()[-1]))
  expect_identical(rbind(frame, frame)$doi, c(frame$doi, frame$doi))
})

test_that("a saved vector is read by an R without the package", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(lazy(), file)
  expect_identical(readRDS(file), plain())
  script <- "cat(length(loadedNamespaces()[loadedNamespaces() == 'doisift']), readRDS(commandArgs(TRUE))[2])"
  seen <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(script), file), stdout = TRUE)
  expect_identical(enc2utf8(seen), paste("0", plain()[2]))
})

test_that("garbage that is collected at each step takes no string", {
  gctorture(TRUE)
  names <- lazy()
  kept <- c(names[1], names[2], names[4])
  names[5] <- "other"
  gctorture(FALSE)
  expect_identical(kept, plain()[c(1, 2, 4)])
  expect_identical(names, c(plain()[1:4], "other"))
})

test_that("more cells than one call reads", {
  texts <- rep(c("10.5555/A", NA, "none"), 100000)
  expect_identical(doi_normalize(texts), rep(c("10.5555/a", NA, NA), 100000))
  found <- doi_extract(texts)
  expect_identical(found$row, seq(1, 300000, 3))
  expect_identical(unique(found$doi), "10.5555/a")
})
