/* In place of a library of which nothing is asked but that it is there. Compiled with STUB_OTHER it
 * is another build of it. */
__attribute__((visibility("default"))) int atc_stub_part(void) { return 0; }

#ifdef STUB_OTHER
__attribute__((visibility("default"))) char atc_stub_more[1 << 16] = {1};
#endif
