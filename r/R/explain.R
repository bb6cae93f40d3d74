#' Why a text gives a DOI name or not
#'
#' Shows each step of what [doi_extract()] decides about each position that may start a name, and which rule decided it.
#'
#' @inheritParams doi_extract
#'
#' @return A data frame with a row for each step; a tibble for a tibble:
#'   - `row`, `column`: as in [doi_extract()];
#'   - `start`: the position, in characters;
#'   - `verdict`: `"found"`, `"refused"`, or `"no_name"` for what is not even a candidate;
#'   - `doi`, `guessed`, `check_digit`: of a name that was found, as in [doi_extract()];
#'   - `reason`: why it was refused or is no candidate;
#'   - `step`, `finding`: what was looked at, and what was seen there;
#'   - `rule`, `because`: the rule that decided the step, if one did, and what it catches.
#' @examples
#' explained <- doi_explain("(see 10.5555/a1). Not 10.0.0.0/8")
#' unique(explained[c("start", "verdict", "doi", "reason")])
#' explained[!is.na(explained$rule), c("finding", "rule", "because")]
#' @export
doi_explain <- function(x, input_kind = "unknown", columns = NULL) {
  check_text(input_kind, "input_kind")
  work <- function(cells) as_frame(all_cells(.Call(wrap__explain_cells, cells, input_kind)))
  over_texts(x, columns, work)
}
