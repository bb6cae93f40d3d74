/* R looks for R_init_doisift; extendr makes the function that registers the routines. */
#include <R_ext/Rdynload.h>

void R_init_doisift_extendr(void *dll);

void R_init_doisift(DllInfo *dll) {
    R_init_doisift_extendr(dll);
    R_useDynamicSymbols(dll, FALSE);
}
