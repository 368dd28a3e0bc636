// The struct behind the handle atc_store.
#pragma once

#include <memory>

#include "atc/store.h"
#include "store/store.hpp"

struct atc_store {
  std::shared_ptr<atc::store::Store> store;
};
