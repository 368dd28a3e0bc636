/* Stands in for torch-sys: nine functions that have names of atc's C interface but other
 * signatures. Every program that links torch-sys contains them. This header is never included
 * together with atc.h. */
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

/* Returns how often the nine functions were called. */
int theirs_calls(void);

#endif
