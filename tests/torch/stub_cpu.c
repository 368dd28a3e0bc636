/* Stands for a libtorch_cpu of another build: it has nothing that the bridge asks for. */
int stub_of_libtorch_cpu(void);
int stub_of_libtorch_cpu(void) { return 1; }
