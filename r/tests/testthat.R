library(testthat)
library(doisift)

test_check("doisift")
