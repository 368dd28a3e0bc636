/* atc: autotuned convolution. This header includes all of the C ABI; base.h has the conventions. */
#ifndef ATC_ATC_H_
#define ATC_ATC_H_

#include "atc/base.h"
#include "atc/conv.h"
#include "atc/device.h"
#include "atc/explain.h"
#include "atc/extend.h"
#include "atc/group.h"
#include "atc/problems.h"
#include "atc/settings.h"
#include "atc/store.h"
#include "atc/store_entries.h"
#include "atc/trace.h"
#include "atc/tune.h"

#endif /* ATC_ATC_H_ */
