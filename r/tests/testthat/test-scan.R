folder_of_notes <- function() {
  folder <- new_folder()
  writeLines("See doi:10.5555/Birds.2024, or 10.5555/birds.2024.", file.path(folder, "a.txt"))
  writeLines("And https://doi.org/10.5555/(nest)7.", file.path(folder, "b.md"))
  folder
}

new_folder <- function() {
  folder <- tempfile("scan")
  dir.create(folder)
  folder
}

test_that("a folder gives a row for each name", {
  names <- doi_scan(folder_of_notes(), progress = FALSE)
  expect_s3_class(names, "data.frame")
  expect_identical(names$doi, c("10.5555/(nest)7", "10.5555/birds.2024"))
  expect_identical(names$mentions, c(1, 2))
  expect_identical(names$forms, c("url", "bare|doi"))
  expect_identical(names$first_document, c(NA_character_, NA_character_))
  expect_identical(attr(names, "report")$documents, 2)
})

test_that("mentions come in the order of the sources, with the fields that are asked for", {
  folder <- folder_of_notes()
  found <- doi_scan(folder, mentions = TRUE, progress = FALSE, context = 4)
  expect_identical(found$text, c("10.5555/Birds.2024", "10.5555/birds.2024", "10.5555/(nest)7"))
  expect_identical(found$offset, c(8, 31, 20))
  expect_identical(found$before[1], "doi:")
  found <- doi_scan(folder, mentions = TRUE, progress = FALSE, fields = c("doi", "form"), include = "*.md", threads = 1)
  expect_identical(as.list(as.data.frame(found)), list(doi = "10.5555/(nest)7", form = "url"), ignore_attr = TRUE)
})

test_that("nothing found has the columns, with their types", {
  folder <- new_folder()
  names <- doi_scan(folder, progress = FALSE)
  expect_identical(nrow(names), 0L)
  expect_identical(vapply(names, typeof, "")[c("doi", "mentions", "guessed")], c(doi = "character", mentions = "double", guessed = "logical"))
})

test_that("rows can be written to a file", {
  output <- file.path(new_folder(), "rows.csv")
  report <- doi_scan(folder_of_notes(), output = output, progress = FALSE)
  expect_identical(report$records, 2)
  expect_identical(utils::read.csv(output)$doi, c("10.5555/(nest)7", "10.5555/birds.2024"))
  doi_scan(folder_of_notes(), output = output, pairs = TRUE, progress = FALSE)
  expect_identical(names(utils::read.csv(output)), c("source", "document", "doi", "mentions"))
})

test_that("progress is told, and an error of the function ends the run", {
  seen <- NULL
  doi_scan(folder_of_notes(), progress = function(bytes, total) seen <<- c(bytes, total))
  expect_identical(seen[1], seen[2])
  expect_error(doi_scan(folder_of_notes(), progress = function(bytes, total) stop("enough")), "enough")
  expect_output(doi_scan(folder_of_notes(), progress = FALSE), NA)
})

test_that("what cannot be read is a warning, or an error", {
  folder <- folder_of_notes()
  writeBin(c(as.raw(c(0x1f, 0x8b, 8)), raw(20)), file.path(folder, "broken.gz"))
  expect_warning(names <- doi_scan(folder, progress = FALSE), "broken.gz")
  expect_identical(nrow(names), 2L)
  expect_identical(attr(names, "report")$errors$count, 1)
  expect_error(doi_scan(folder, progress = FALSE, on_error = "fail"), "broken.gz", class = "doisift_error")
})

test_that("wrong arguments are errors with plain messages", {
  wrong <- function(...) expect_error(doi_scan(tempdir(), progress = FALSE, ...), class = "doisift_error")
  expect_match(conditionMessage(wrong(colour = "red")), "colour: ")
  expect_match(conditionMessage(wrong(threads = "two")), "threads: a whole number is wanted")
  expect_match(conditionMessage(wrong(threads = 1.5)), "threads: a whole number is wanted")
  expect_match(conditionMessage(wrong(lines = "yes")), "lines: TRUE or FALSE is wanted")
  expect_match(conditionMessage(wrong(prefix = "10.x")), "not a DOI prefix")
  expect_match(conditionMessage(wrong(memory = "much")), "memory: ")
  expect_error(doi_scan("/none/at/all"), "/none/at/all: there is no such file or folder", class = "doisift_error")
  expect_error(doi_scan(1), "paths: ", class = "doisift_error")
})

test_that("an interrupt ends a run, and no output appears", {
  skip_on_cran()
  skip_on_os("windows")
  fifo <- file.path(new_folder(), "slow")
  skip_if(system2("mkfifo", shQuote(fifo)) != 0)
  output <- file.path(dirname(fifo), "rows.csv")
  code <- paste0(
    "writer <- fifo('", fifo, "', 'w+b'); ",
    "tryCatch(doisift::doi_scan('", fifo, "', output = '", output, "', progress = FALSE, threads = 1), ",
    "interrupt = function(condition) cat('interrupted'))"
  )
  log <- tempfile()
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = log, stderr = log, wait = FALSE, env = paste0("R_LIBS=", libraries))
  deadline <- Sys.time() + 30
  pid <- character()
  while (length(pid) == 0L && Sys.time() < deadline) {
    Sys.sleep(0.2)
    processes <- list.files("/proc", pattern = "^[0-9]+$")
    is_it <- function(pid) isTRUE(any(grepl(fifo, suppressWarnings(tryCatch(readLines(file.path("/proc", pid, "cmdline"), skipNul = TRUE), error = function(e) "")), fixed = TRUE)))
    pid <- Filter(is_it, processes)
  }
  skip_if(length(pid) == 0L)
  Sys.sleep(3)
  tools::pskill(as.integer(pid), tools::SIGINT)
  while (!any(grepl("interrupted", readLines(log, warn = FALSE))) && Sys.time() < deadline) Sys.sleep(0.2)
  expect_match(paste(readLines(log, warn = FALSE), collapse = ""), "interrupted")
  expect_false(file.exists(output))
})
