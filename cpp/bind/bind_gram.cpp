#include <mutex>
#include <stdexcept>

#include "arrays.hpp"
#include "expansions.hpp"
#include "mercer/gram.hpp"
#include "recipe.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// Rows in the frame of a kernel, prepared when first asked for.
template <class T>
class SharedRows {
 public:
  SharedRows(const Kernel& kernel, const Matrix& matrix) : kernel_(kernel), matrix_(matrix) {}

  const Matrix& matrix() const { return matrix_; }
  std::shared_ptr<const PreparedRows<T>> get() {
    const std::lock_guard lock(guard_);
    if (!rows_) rows_ = std::make_shared<const PreparedRows<T>>(matrix_, frame_for(kernel_, matrix_));
    return rows_;
  }

 private:
  Kernel kernel_;
  Matrix matrix_;
  std::mutex guard_;
  std::shared_ptr<const PreparedRows<T>> rows_;
};

// Prepared when the first of the problems that share it opens.
template <class T>
class SharedData {
 public:
  SharedData(const Kernel& kernel, const Data& data)
      : SharedData(kernel, std::make_shared<SharedRows<T>>(kernel, data.matrix())) {}
  // Another kernel on the same rows; it takes rows of its own where theirs do not serve it.
  SharedData* with_kernel(const Kernel& kernel) const { return new SharedData(kernel, rows_); }

  const Matrix& matrix() const { return rows_->matrix(); }
  std::shared_ptr<const Prepared<T>> get() {
    const std::lock_guard lock(guard_);
    if (prepared_) return prepared_;
    const auto rows = rows_->get();
    prepared_ = rows->frame.serves(kernel_) ? std::make_shared<const Prepared<T>>(kernel_, rows)
                                            : std::make_shared<const Prepared<T>>(kernel_, matrix());
    return prepared_;
  }

 private:
  SharedData(const Kernel& kernel, std::shared_ptr<SharedRows<T>> rows) : kernel_(kernel), rows_(std::move(rows)) {}

  Kernel kernel_;
  std::shared_ptr<SharedRows<T>> rows_;
  std::mutex guard_;
  std::shared_ptr<const Prepared<T>> prepared_;
};

template <class T>
auto expand_prepared(SharedData<T>& data, const RowLists& targets, const RowLists& sources, const CoefLists& coef,
                     int threads) {
  return expand_lists(targets, sources, coef, rows_of(data.matrix()),
                      [&](const std::vector<Expansion>& expansions, Stop* stop) {
                        return expand<T>(*data.get(), expansions, threads, stop);
                      });
}

template <class T>
Recipe<T> computed(SharedData<T>& data, const Vector<std::int64_t>& rows, int threads) {
  for (const Index i : view(rows))
    if (i < 0 || i >= rows_of(data.matrix())) throw std::invalid_argument("a row lies outside the data");
  return {[&data, rows = indices(rows), threads] { return computed_gram<T>(data.get(), rows, threads); },
          static_cast<Index>(rows.size())};
}

template <class T>
Recipe<T> stored(const Rows<T>& K, const Vector<std::int64_t>& rows, int threads) {
  const Dense<T> matrix = view(K);
  for (const Index i : view(rows))
    if (i < 0 || i >= matrix.rows || i >= matrix.cols) throw std::invalid_argument("a row lies outside the matrix");
  return {[matrix, rows = indices(rows), threads] { return stored_gram<T>(matrix, rows, threads); },
          static_cast<Index>(rows.size())};
}

// `source` takes an int64 array of row numbers, how many values are there, and an array (len(rows), n) to add some to;
// it returns how many are there then, and outlives the recipe.
Recipe<double> sourced(const nb::object& source, Index n, Index cache_bytes) {
  RowSource<double> rows_of_source = [source = source.ptr(), n](std::span<const Index> rows, Index done, double* out) {
    wait_if_the_interpreter_ends();
    const nb::gil_scoped_acquire gil;
    auto wanted = new_array<std::int64_t, 1>({rows.size()});
    std::copy(rows.begin(), rows.end(), wanted.data());
    const std::size_t shape[2] = {rows.size(), static_cast<std::size_t>(n)};
    // Python fills the solver's own buffer during the call and must not keep it.
    nb::ndarray<nb::numpy, double, nb::ndim<2>> target(out, 2, shape, nb::none());
    return nb::cast<Index>(nb::borrow(source)(wanted, done, nb::cast(target, nb::rv_policy::reference)));
  };
  return {[rows_of_source, n, cache_bytes] { return sourced_gram<double>(rows_of_source, n, cache_bytes); }, n};
}

template <class T>
void bind_for(nb::module_& m, const char* data_name, const char* name) {
  nb::class_<SharedData<T>>(m, data_name)
      .def(nb::init<const Kernel&, const Data&>(), nb::arg("kernel"), nb::arg("data"), nb::keep_alive<1, 3>())
      .def("with_kernel", &SharedData<T>::with_kernel, nb::arg("kernel"), nb::rv_policy::take_ownership,
           nb::keep_alive<0, 1>())
      .def("expand", &expand_prepared<T>, nb::arg("targets"), nb::arg("sources"), nb::arg("coef"), nb::arg("threads"));
  nb::class_<Recipe<T>>(m, name)
      .def_static("computed", &computed<T>, nb::arg("data"), nb::arg("rows").noconvert(), nb::arg("threads"),
                  nb::keep_alive<0, 1>())
      .def_static("stored", &stored<T>, nb::arg("K").noconvert(), nb::arg("rows").noconvert(), nb::arg("threads"),
                  nb::keep_alive<0, 1>())
      .def_ro("size", &Recipe<T>::size);
}

}  // namespace

void bind_gram(nb::module_& m) {
  bind_for<float>(m, "Prepared32", "Gram32");
  bind_for<double>(m, "Prepared64", "Gram64");
  m.def("sourced_gram", &sourced, nb::arg("source"), nb::arg("n"), nb::arg("cache_bytes"), nb::keep_alive<0, 1>());
}

}  // namespace mercer::bind
