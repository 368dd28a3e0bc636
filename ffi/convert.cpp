#include "atc/atc.h"
