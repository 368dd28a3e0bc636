/* In place of a library of which nothing is asked but that it is there. */
__attribute__((visibility("default"))) int atc_stub_part(void) { return 0; }
