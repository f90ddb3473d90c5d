// Chooses the SIMD level once, when first asked.
#include <atomic>
#include <cstdlib>

#include "mercer/local_loops.hpp"
#include "mercer/losses.hpp"
#include "mercer/simd.hpp"
#include "mercer/window_loops.hpp"

namespace mercer {

extern const Ops<float> ops_base_float;
extern const Ops<double> ops_base_double;
extern const LossOps ops_base_losses;
extern const WindowOps ops_base_windows;
extern const LocalOps ops_base_local;
#ifdef MERCER_HAS_AVX
extern const Ops<float> ops_avx512_float;
extern const Ops<double> ops_avx512_double;
extern const LossOps ops_avx512_losses;
extern const WindowOps ops_avx512_windows;
extern const LocalOps ops_avx512_local;
extern const Ops<float> ops_avx2_float;
extern const Ops<double> ops_avx2_double;
extern const LossOps ops_avx2_losses;
extern const WindowOps ops_avx2_windows;
extern const LocalOps ops_avx2_local;
#endif

namespace {

struct Level {
  std::string_view name;
  const Ops<float>* single;
  const Ops<double>* full;
  const LossOps* losses;
  const WindowOps* windows;
  const LocalOps* local;
};

// Best first.
std::vector<Level> available() {
  std::vector<Level> levels;
#ifdef MERCER_HAS_AVX
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    levels.push_back(
        {"avx512", &ops_avx512_float, &ops_avx512_double, &ops_avx512_losses, &ops_avx512_windows, &ops_avx512_local});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    levels.push_back({"avx2", &ops_avx2_float, &ops_avx2_double, &ops_avx2_losses, &ops_avx2_windows, &ops_avx2_local});
#endif
  levels.push_back({"base", &ops_base_float, &ops_base_double, &ops_base_losses, &ops_base_windows, &ops_base_local});
  return levels;
}

const std::vector<Level>& levels() {
  static const std::vector<Level> list = available();
  return list;
}

const Level* find(std::string_view name) {
  for (const Level& level : levels())
    if (level.name == name) return &level;
  return nullptr;
}

const Level* first_choice() {
  if (const char* wanted = std::getenv("MERCER_SIMD"))
    if (const Level* level = find(wanted)) return level;
  return &levels().front();
}

std::atomic<const Level*>& current() {
  static std::atomic<const Level*> level{first_choice()};
  return level;
}

}  // namespace

template <>
const Ops<float>& ops<float>() {
  return *current().load(std::memory_order_relaxed)->single;
}
template <>
const Ops<double>& ops<double>() {
  return *current().load(std::memory_order_relaxed)->full;
}

const LossOps& loss_ops() { return *current().load(std::memory_order_relaxed)->losses; }
const WindowOps& window_ops() { return *current().load(std::memory_order_relaxed)->windows; }
const LocalOps& local_ops() { return *current().load(std::memory_order_relaxed)->local; }

std::string_view simd_level() { return current().load()->name; }

std::vector<std::string_view> simd_levels() {
  std::vector<std::string_view> names;
  for (const Level& level : levels()) names.push_back(level.name);
  return names;
}

bool set_simd_level(std::string_view name) {
  const Level* level = find(name);
  if (level) current().store(level);
  return level != nullptr;
}

}  // namespace mercer
