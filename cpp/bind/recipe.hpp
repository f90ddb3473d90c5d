// A Gram matrix that Python describes and the solver opens.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::bind {

template <class T>
struct Recipe {
  GramRecipe<T> open;
  Index size;
};

}  // namespace mercer::bind
