# What all functions share: calls of the native part, its errors, and the arguments that several have.

stop_doisift <- function(...) {
  stop(structure(class = c("doisift_error", "error", "condition"), list(message = paste0(...), call = NULL)))
}

# Passes on what the native part gives, or makes an error of its message.
answer <- function(value) {
  if (inherits(value, "extendr_error")) stop_doisift(value$value)
  value
}

check_flag <- function(value, name) {
  if (!is.logical(value) || length(value) != 1L || is.na(value)) stop_doisift(name, ": TRUE or FALSE is wanted")
  value
}

check_text <- function(value, name) {
  if (!is.character(value) || length(value) != 1L || is.na(value)) stop_doisift(name, ": a text is wanted")
  enc2utf8(value)
}

# Cells as a character vector without attributes.
as_cells <- function(x, name = "x") {
  if (is.factor(x)) x <- as.character(x)
  if (is.null(x) || (is.logical(x) && all(is.na(x)))) return(rep(NA_character_, length(x)))
  if (!is.character(x)) {
    stop_doisift(name, " is of the class ", class(x)[1L], "; a character vector, a factor or a data frame is wanted")
  }
  as.vector(x)
}

# What the native part makes of cells. It reads some at a time, and R can be interrupted between.
all_cells <- function(reading) {
  answer(reading)
  while (!answer(.Call(wrap__read_cells, reading))) NULL
  answer(.Call(wrap__finish_cells, reading))
}

# `names<-` copies what it need not.
with_names <- function(result, names) {
  if (!is.null(names)) names(result) <- names
  result
}

# A list of columns as a data frame, without the checks of data.frame().
as_frame <- function(columns) {
  structure(columns, class = "data.frame", row.names = .set_row_names(length(columns[[1L]])))
}

# A result as the kind of data frame that was given.
as_given <- function(frame, given) {
  if (inherits(given, "tbl_df") && requireNamespace("tibble", quietly = TRUE)) return(tibble::as_tibble(frame))
  frame
}

# The columns of a data frame that are named, or by default those that hold DOI names, as they are usually called.
name_columns <- function(data, columns, argument = "columns") {
  if (is.null(columns)) {
    columns <- names(data)[tolower(names(data)) %in% c("doi", "di")]
    if (length(columns) == 0L) stop_doisift("x has no column DOI or DI; name the one that holds names with `", argument, "`")
    return(columns)
  }
  named_columns(data, columns, argument)
}

# The columns of a data frame that are named, which must be there.
named_columns <- function(data, columns, argument = "columns") {
  if (!is.character(columns)) stop_doisift(argument, ": names of columns are wanted")
  missing <- setdiff(columns, names(data))
  if (length(missing) > 0L) {
    stop_doisift("x has no column ", missing[1L], "; it has ", paste(names(data), collapse = ", "))
  }
  columns
}

# A path as the system has it, with ~ expanded; NULL if there is none.
as_path <- function(path, name) {
  if (is.null(path)) return(NULL)
  path.expand(check_text(path, name))
}
