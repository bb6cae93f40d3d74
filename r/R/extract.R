#' The mentions of DOI names in texts
#'
#' Finds the names in any text: prose, titles, abstracts, lists of references, markup.
#'
#' @param x A character vector or factor, or a data frame or tibble.
#' @param clean Whether each name that is found is read as dirty data, as [doi_clean()] does.
#' @param input_kind What the texts are: `"html"`, a table (`"csv"`, `"ssv"`, `"tsv"`, `"psv"`), `"printed"`, `"unknown"`, or `"auto"`, by
#'   which the head of each shows it.
#' @param columns The columns of a data frame to search; by default all that hold texts.
#'
#' @return A data frame with a row for each mention, in their order; a tibble for a tibble:
#'   - `row`: the number of the text in `x`;
#'   - `column`: the column, if `x` is a data frame;
#'   - `doi`: the key of the name;
#'   - `form`: how it was written: urn, info, hdl, doi, url, label or bare;
#'   - `start`, `end`: where the name is, so that `substr(x[row], start, end)` is `text`. They count characters, or bytes in a string that
#'     is not valid UTF-8;
#'   - `text`: the name as found;
#'   - `guessed`: whether its end was a choice which only a registry could confirm;
#'   - `check_digit`: `"good"`, `"bad"`, or `NA` for a name without one.
#' @examples
#' text <- "See (doi:10.5555/Birds.2024), and https://doi.org/10.5555/a%28b%29."
#' found <- doi_extract(text)
#' found[c("doi", "form", "text")]
#' substr(text[found$row], found$start, found$end)
#' @export
doi_extract <- function(x, clean = FALSE, input_kind = "unknown", columns = NULL) {
  check_flag(clean, "clean")
  check_text(input_kind, "input_kind")
  work <- function(cells) as_frame(all_cells(.Call(wrap__extract_cells, cells, clean, input_kind)))
  over_texts(x, columns, work)
}

# A frame of what `work` gives for all texts of a vector, or of the columns of a data frame.
over_texts <- function(x, columns, work) {
  if (!is.data.frame(x)) return(work(as_cells(x)))
  if (is.null(columns)) {
    columns <- names(x)[vapply(x, function(column) is.character(column) || is.factor(column), NA)]
  }
  frames <- lapply(named_columns(x, columns), function(column) {
    found <- work(as_cells(x[[column]], column))
    as_frame(c(found["row"], list(column = rep(column, nrow(found))), found[names(found) != "row"]))
  })
  if (length(frames) == 0L) stop_doisift("x has no column with texts")
  found <- do.call(rbind, frames)
  found <- found[order(found$row, match(found$column, columns)), ]
  row.names(found) <- NULL
  as_given(found, x)
}
