#include <nanobind/nanobind.h>

namespace mercer::bind {

void bind_runtime(nanobind::module_& m);
void bind_kernel(nanobind::module_& m);
void bind_centres(nanobind::module_& m);
void bind_gram(nanobind::module_& m);
void bind_solver(nanobind::module_& m);

}  // namespace mercer::bind

NB_MODULE(_core, m) {
  using namespace mercer::bind;
  bind_runtime(m);
  bind_kernel(m);
  bind_centres(m);
  bind_gram(m);
  bind_solver(m);
}
