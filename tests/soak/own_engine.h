/* An engine as a user of the C ABI writes it. */
#ifndef ATC_TESTS_SOAK_OWN_ENGINE_H_
#define ATC_TESTS_SOAK_OWN_ENGINE_H_

#include "atc/extend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts that an engine keeps. Several threads change them, with atomic operations. */
typedef struct soak_engine_counts {
  long prepared;  /* the number of prepared objects that exist */
  long destroyed; /* the number of registrations that have ended */
} soak_engine_counts;

/* Returns an engine for forward convolutions of f32 on the CPU. For CUDA it offers nothing.
 * `counts` must exist as long as the engine. */
atc_engine soak_own_engine(const char* name, soak_engine_counts* counts);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TESTS_SOAK_OWN_ENGINE_H_ */
