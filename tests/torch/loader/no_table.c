/* Stands in for a library that has the name of a build of the bridge but no table of functions. If
 * NEEDS_A_FUNCTION is defined, the library cannot be loaded, because it needs a function that no
 * library has. */
#ifdef NEEDS_A_FUNCTION
int function_of_no_library(void);
int call_it(void);
int call_it(void) { return function_of_no_library(); }
#else
int no_table(void);
int no_table(void) { return 1; }
#endif
