# What all functions share: calls of the native part, its errors, and the arguments that several have.

# Rows that the native part takes at once. R can be interrupted between two calls, which take a tenth of a second or so.
BATCH_ROWS <- 262144L

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

# The results of `work` over batches of cells; one result if there are few.
in_batches <- function(cells, work) {
  if (length(cells) <= BATCH_ROWS) return(list(work(cells)))
  starts <- seq(1, length(cells), by = BATCH_ROWS)
  lapply(starts, function(start) work(cells[start:min(start + BATCH_ROWS - 1, length(cells))]))
}

# A data frame of the columns of all batches. The number of the row counts through them.
bind_batches <- function(batches) {
  for (at in seq_along(batches)[-1L]) {
    if (!is.null(batches[[at]]$row)) batches[[at]]$row <- batches[[at]]$row + (at - 1) * BATCH_ROWS
  }
  columns <- batches[[1L]]
  if (length(batches) > 1L) {
    columns[] <- lapply(names(columns), function(name) unlist(lapply(batches, `[[`, name), use.names = FALSE))
  }
  as_frame(columns)
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
