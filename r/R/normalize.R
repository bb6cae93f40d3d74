#' The DOI name that each text is
#'
#' Reads any presentation form (bare, `doi:`, URLs of proxies, URNs), and a URL of any host that holds exactly one name, and writes
#' all names in one form.
#'
#' @param x A character vector or factor, or a data frame or tibble.
#' @param to The form to write: `"key"` (decoded, in ASCII lower case), `"name"` (its case kept), `"doi-uri"`, `"url"`, `"urn"` or
#'   `"api"`.
#' @param clean Whether texts are dirty data, of which what does not belong to the name is cut, as [doi_clean()] does.
#' @param strict Whether names that ANSI/NISO Z39.84 reserves are refused.
#' @param encode What is percent-encoded in a URL: what must be (`"mandatory"`), or also what should be (`"recommended"`).
#' @param arxiv Whether identifiers of arXiv are read as the DOI names that they have.
#' @param known The path of an index of known names, which `doisift index` makes, or `NULL`.
#' @param columns The columns of a data frame; by default those that are called DOI or DI, in any case.
#'
#' @return For a vector, a character vector of the same length with the same names: `NA` where a text is `NA`, no DOI name, or
#'   several. For a data frame, the same data frame with the columns replaced. A million names take about a second.
#' @seealso [doi_clean()], which says why a text was refused.
#' @examples
#' doi_normalize(c("https://doi.org/10.1000/ABC", "doi:10.1000/456%23789", "n/a", NA))
#' doi_normalize("10.1000/ABC", to = "url")
#' doi_normalize(data.frame(id = 1:2, DOI = c("urn:doi:10.1000:ABC", NA)))
#' @export
doi_normalize <- function(x, to = "key", clean = FALSE, strict = FALSE, encode = "mandatory", arxiv = FALSE, known = NULL,
                          columns = NULL) {
  options <- list(
    to = check_text(to, "to"), clean = check_flag(clean, "clean"), strict = check_flag(strict, "strict"),
    encode = check_text(encode, "encode"), arxiv = check_flag(arxiv, "arxiv"), known = as_path(known, "known")
  )
  if (is.data.frame(x)) {
    columns <- name_columns(x, columns)
    x[columns] <- lapply(columns, function(column) normalize_cells(x[[column]], options, column))
    return(x)
  }
  normalize_cells(x, options, "x")
}

normalize_cells <- function(x, options, name) {
  with_names(all_cells(.Call(wrap__normalize_cells, as_cells(x, name), options)), names(x))
}
