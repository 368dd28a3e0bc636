/* Stands for a libtorch_cpu of another build: it has none of the functions that the bridge needs.
 */
int stub_of_libtorch_cpu(void);
int stub_of_libtorch_cpu(void) { return 1; }
