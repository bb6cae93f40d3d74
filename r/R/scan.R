#' The DOI names in files and folders of any size
#'
#' Reads plain and packed files, archives, office documents, PDF, mail, Parquet, WARC and more, on all cores, in bounded memory. Hidden
#' and git-ignored files below a folder are read too.
#'
#' @param paths Paths of files and folders.
#' @param mentions Whether the rows are all mentions, in the order of the sources, instead of one for each name.
#' @param output The file to which rows are written instead of being returned, as CSV, TSV, JSON Lines or Parquet by its ending.
#' @param progress Whether a bar is shown on standard error, or a function that is called about ten times a second with the bytes that were
#'   read, and all bytes (`NA` as long as these are not known).
#' @param ... Options of the command `doisift scan`, with `_` for `-`: `include = "*.txt"`, `prefix = "10.1038"`, `context = 100`,
#'   `known = "known.doix"`, `threads = 2`, `memory = "512M"`, and so on. With an `output` also those that choose other rows, such
#'   as `pairs = TRUE` and `edges = TRUE`.
#'
#' @return A data frame of records (`doi`, `mentions`, `documents`, `sources`, `forms`, `first_source`, `first_document`, `first_offset`,
#'   `first_text`, `guessed`, `check_digit`), sorted by `doi`; or of mentions (`doi`, `form`, `source`, `document`, `offset`, `length`, `text`,
#'   `guessed`, `check_digit`). Offsets count bytes from 0. Its attribute `report` is a list of what was read. With an `output`, the report
#'   alone, invisibly. A source or document that cannot be read is listed in `report$errors`, with a warning, unless
#'   `on_error = "fail"`; an interrupted run leaves no output.
#' @examples
#' folder <- tempfile()
#' dir.create(folder)
#' writeLines("See doi:10.5555/Birds.2024, or 10.5555/birds.2024.", file.path(folder, "notes.txt"))
#' names <- doi_scan(folder)
#' names[c("doi", "mentions", "forms")]
#' attr(names, "report")$documents
#' doi_scan(folder, mentions = TRUE, context = 4)[c("text", "before", "after")]
#' @export
doi_scan <- function(paths, mentions = FALSE, output = NULL, progress = interactive(), ...) {
  options <- task_options(...)
  options$output <- as_path(output, "output")
  paths <- task_paths(paths, options)
  writes <- !is.null(output)
  run <- answer(.Call(wrap__start_scan, paths, options, check_flag(mentions, "mentions"), writes))
  done <- await_run(run, progress)
  warn_of_losses(done$report$errors)
  if (writes) return(invisible(done$report))
  structure(as_frame(done$rows), report = done$report)
}

# The options after the named arguments.
task_options <- function(...) {
  options <- list(...)
  if (length(options) > 0L && (is.null(names(options)) || any(names(options) == ""))) stop_doisift("options after the first arguments need names")
  options
}

# Paths in the encoding of the system, which must lead somewhere unless the caller says what is done about missing ones.
task_paths <- function(paths, options) {
  paths <- typed_paths(paths)
  missing <- paths[!file.exists(paths)]
  if (is.null(options$on_error) && length(missing) > 0L) stop_doisift(missing[1L], ": there is no such file or folder")
  paths
}

typed_paths <- function(paths) {
  if (!is.character(paths) || anyNA(paths)) stop_doisift("paths: paths of files or folders are wanted")
  enc2native(path.expand(paths))
}

# Waits for the end of a run. An interrupt of R, or an error of `progress`, ends it early.
await_run <- function(run, progress) {
  show <- progress_function(progress)
  ended <- FALSE
  on.exit(if (!ended) .Call(wrap__cancel_run, run))
  repeat {
    has_ended <- answer(.Call(wrap__wait_run, run))
    # Here R sees an interrupt at once.
    Sys.sleep(0)
    now <- answer(.Call(wrap__run_progress, run))
    show(now[1L], now[2L], has_ended)
    if (has_ended) break
  }
  ended <- TRUE
  answer(.Call(wrap__finish_run, run))
}

# What is called with the bytes that were read, all bytes, and whether the run has ended.
progress_function <- function(progress) {
  if (is.function(progress)) return(function(bytes, total, ended) progress(bytes, total))
  if (!check_flag(progress, "progress")) return(function(bytes, total, ended) NULL)
  bar <- NULL
  function(bytes, total, ended) {
    if (is.null(bar) && !is.na(total) && total > 0) bar <<- utils::txtProgressBar(max = total, style = 3, file = stderr())
    if (is.null(bar)) return(invisible())
    utils::setTxtProgressBar(bar, min(bytes, total))
    if (ended) close(bar)
  }
}

warn_of_losses <- function(errors) {
  if (is.null(errors$count) || errors$count == 0) return(invisible())
  first <- errors$list[[1L]]
  warning(errors$count, " could not be read in whole or in part, the first: ", first$source, ": ", first$message, call. = FALSE)
}
