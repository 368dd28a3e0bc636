/* Stands in for torch-sys. The Rust crate torch-sys has nine functions whose names are also names
 * of atc's C interface, but with other signatures. Each program that links torch-sys contains these
 * functions. This header is never included together with atc.h. */
#ifndef THEIRS_H_
#define THEIRS_H_

#include <stdint.h>

int atc_cuda_device_count(void);
int atc_cuda_is_available(void);
int atc_cudnn_is_available(void);
int atc_user_enabled_cudnn(void);
void atc_manual_seed(int64_t seed);
void atc_manual_seed_all(int64_t seed);
void atc_synchronize(int64_t index);
void atc_set_user_enabled_cudnn(int enabled);
void atc_set_benchmark_cudnn(int enabled);

/* Returns how many calls the nine functions have had together. */
int theirs_calls(void);

#endif
