/* Stands in for a library that is loaded but never called. If STUB_OTHER is defined, the file is
 * another build of the same library. */
__attribute__((visibility("default"))) int atc_stub_part(void) { return 0; }

#ifdef STUB_OTHER
__attribute__((visibility("default"))) char atc_stub_more[1 << 16] = {1};
#endif
