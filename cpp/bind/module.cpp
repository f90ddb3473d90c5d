#include <nanobind/nanobind.h>

namespace mercer::bind {

void bind_runtime(nanobind::module_& m);
void bind_kernel(nanobind::module_& m);
void bind_centres(nanobind::module_& m);
void bind_gram(nanobind::module_& m);
void bind_solver(nanobind::module_& m);
void bind_cells(nanobind::module_& m);
void bind_neighbours(nanobind::module_& m);
void bind_kd_tree(nanobind::module_& m);
void bind_panel_neighbours(nanobind::module_& m);
void bind_masked_neighbours(nanobind::module_& m);
void bind_sparse_neighbours(nanobind::module_& m);
void bind_windows(nanobind::module_& m);
void bind_local(nanobind::module_& m);
void bind_pair_sums(nanobind::module_& m);
void bind_kkt_summary(nanobind::module_& m);
void bind_linear(nanobind::module_& m);
void bind_sgd(nanobind::module_& m);
void bind_lasso(nanobind::module_& m);
void bind_crammer_singer(nanobind::module_& m);
void bind_turned_rows(nanobind::module_& m);
void bind_twofold(nanobind::module_& m);
void bind_libsvm(nanobind::module_& m);

}  // namespace mercer::bind

NB_MODULE(_core, m) {
  using namespace mercer::bind;
  nanobind::set_leak_warnings(false);  // a model may be alive when the interpreter ends, which is no mistake
  bind_runtime(m);
  bind_kernel(m);
  bind_centres(m);
  bind_gram(m);
  bind_solver(m);
  bind_cells(m);
  bind_neighbours(m);
  bind_kd_tree(m);
  bind_panel_neighbours(m);
  bind_masked_neighbours(m);
  bind_sparse_neighbours(m);
  bind_windows(m);
  bind_local(m);
  bind_pair_sums(m);
  bind_kkt_summary(m);
  bind_linear(m);
  bind_sgd(m);
  bind_lasso(m);
  bind_crammer_singer(m);
  bind_turned_rows(m);
  bind_twofold(m);
  bind_libsvm(m);
}
