#' doisift: finds, cleans and explains DOI names
#'
#' Texts in memory: [doi_extract()] finds the names in them, [doi_explain()] says why each ends where it does. Columns of names:
#' [doi_normalize()] and [doi_clean()]. Files: [doi_scan()] finds the names in files and folders of any size, [doi_check()] checks
#' the references of a bibliography.
#'
#' Strings are read as R marks them (see [Encoding()]): UTF-8, latin1, or bytes, which need not be valid in any encoding. What they
#' give is UTF-8. `NA` stays `NA`. Errors are conditions of the class `doisift_error`. Calls that take long can be interrupted.
#'
#' @keywords internal
#' @useDynLib doisift, .registration = TRUE
"_PACKAGE"
