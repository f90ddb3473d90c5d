// Runs a body at every SIMD level this processor has, for float and double.
#pragma once

#include <string>

#include "mercer/simd.hpp"

namespace mercer::test {

class LevelGuard {
 public:
  LevelGuard() : before_(simd_level()) {}
  ~LevelGuard() { set_simd_level(before_); }
  LevelGuard(const LevelGuard&) = delete;

 private:
  std::string before_;
};

// body(T{}, ops<T>()) for T float and double.
template <class Body>
void at_every_level(Body body) {
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    body(float{}, ops<float>());
    body(double{}, ops<double>());
  }
}

}  // namespace mercer::test
