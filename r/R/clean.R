#' The DOI name that each dirty text was meant to be
#'
#' Cuts what does not belong to a name: labels, punctuation, words glued to it, escapes of other programs. A text that holds
#' several names, or none, is refused and not guessed at.
#'
#' @inheritParams doi_normalize
#' @param multiple Whether a cell may hold several names, which are cleaned each. What separates them is kept.
#' @param columns The columns of a data frame; by default those that are called DOI or DI, in any case.
#'
#' @return For a vector, a character vector of the same length with the same names: `NA` where a text is `NA` or refused. For a
#'   data frame, the same data frame with three more columns after the others: `doi_clean`, the name; `doi_status`, one of
#'   `"empty"`, `"unchanged"`, `"normalized"`, `"cleaned"`, `"several"` and `"refused"`; and `doi_reason`, why a text was refused or what was
#'   cut from it. With several `columns`, the new ones are called after each instead of `doi`.
#' @examples
#' doi_clean(c("DOI: 10.1002/abc.", "10.1038/nature07634.pmid:19020500", "see the web", NA))
#' works <- data.frame(DI = c("10.1002/abc (2006)", "10.1002/abc and 10.1002/xyz"))
#' doi_clean(works)
#' doi_clean(works, multiple = TRUE)$doi_clean
#' @export
doi_clean <- function(x, to = "key", multiple = FALSE, strict = FALSE, encode = "mandatory", arxiv = FALSE, known = NULL,
                      columns = NULL) {
  options <- list(
    to = check_text(to, "to"), multiple = check_flag(multiple, "multiple"), strict = check_flag(strict, "strict"),
    encode = check_text(encode, "encode"), arxiv = check_flag(arxiv, "arxiv"), known = as_path(known, "known")
  )
  if (!is.data.frame(x)) {
    if (!multiple) return(normalize_cells(x, c(options, clean = TRUE), "x"))
    return(with_names(clean_cells(x, options, "x")$doi, names(x)))
  }
  columns <- name_columns(x, columns)
  for (column in columns) {
    stem <- if (length(columns) == 1L) "doi" else column
    added <- paste0(stem, c("_clean", "_status", "_reason"))
    if (any(added %in% names(x))) stop_doisift("x has a column ", intersect(added, names(x))[1L], " already; remove or rename it")
    x[added] <- clean_cells(x[[column]], options, column)
  }
  x
}

clean_cells <- function(x, options, name) {
  as_frame(all_cells(.Call(wrap__clean_cells, as_cells(x, name), options)))
}
