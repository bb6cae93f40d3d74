#' Whether the references of a bibliography have the right DOI names
#'
#' Reads BibTeX, RIS, tables, manuscripts and lists. Without an index it tells what is no name, is written wrongly or has a wrong
#' check digit. With `known`, an index that `doisift index` makes, it also tells which names exist, which works were retracted, and
#' which name was meant.
#'
#' @param paths Paths of files and folders, or patterns such as `"*.bib"`, which are expanded where there is no such file.
#' @inheritParams doi_scan
#' @param ... Options of the command `doisift check`, with `_` for `-`: `known = "known.doix"`, `column = "DOI"`, and so on. `fix = TRUE` writes
#'   certain repairs into the files. This package does not ask the registry: there is no `online`.
#'
#' @return A data frame with a row for each reference: `source`, `document`, `line`, `column` and `row` say where it is, `key` is that of
#'   the reference; `text` as found, `doi`, `verdict`, `detail`, `repair` (the name to write instead), `fixed`, `accepted`, and `title`, `authors` and `year` of the cited work as written. Its attribute `report` is a list
#'   of what was read.
#' @examples
#' bibliography <- tempfile(fileext = ".bib")
#' writeLines("@misc{nest, doi = {10.5555/(nest)7.}}\n@misc{none, title = {No name}}", bibliography)
#' doi_check(bibliography)[c("line", "key", "verdict", "repair")]
#' @export
doi_check <- function(paths, progress = FALSE, ...) {
  options <- task_options(...)
  run <- answer(.Call(wrap__start_check, typed_paths(paths), options))
  done <- await_run(run, progress)
  structure(as_frame(done$rows), report = done$report)
}
