/* An engine of the program's own, as a user of the C ABI writes one. */
#ifndef ATC_TESTS_SOAK_OWN_ENGINE_H_
#define ATC_TESTS_SOAK_OWN_ENGINE_H_

#include "atc/extend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts of the registrations and their ends; changed atomically. */
typedef struct soak_engine_counts {
  long prepared;  /* alive now */
  long destroyed; /* registrations */
} soak_engine_counts;

/* Forward convolutions of f32 on the CPU; offers nothing for CUDA. `counts` lives as long as the
 * engine. */
atc_engine soak_own_engine(const char* name, soak_engine_counts* counts);

#ifdef __cplusplus
}
#endif
#endif /* ATC_TESTS_SOAK_OWN_ENGINE_H_ */
