#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "mercer/orders.hpp"
#include "mercer/sgd.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// Some rows of a matrix with what is known of them, and the arrays they stand in.
class KnownRows {
 public:
  KnownRows(const Data& X, const std::optional<Vector<std::int64_t>>& rows, Vector<double> y,
            std::optional<Vector<double>> weight)
      : data_(X), y_(std::move(y)), weight_(std::move(weight)) {
    if (rows) chosen_ = indices(*rows);
    if (std::ranges::any_of(chosen_, [&](Index i) { return i < 0 || i >= rows_of(X.matrix()); }))
      throw std::invalid_argument("the numbers of the rows are not within the matrix");
    X_ = linear_rows(data_.matrix(), chosen_, {});
    if (X_->size() == 0 || (rows && chosen_.empty())) throw std::invalid_argument("there are no rows");
    const auto n = static_cast<std::size_t>(X_->size());
    if (y_.size() != n || (weight_ && weight_->size() != n))
      throw std::invalid_argument("rows, targets and weights differ in number");
  }
  SgdRows rows() const { return {X_.get(), view(y_), weight_ ? view(*weight_) : std::span<const double>{}}; }

 private:
  Data data_;
  Vector<double> y_;
  std::optional<Vector<double>> weight_;
  std::vector<Index> chosen_;
  std::unique_ptr<LinearRows> X_;
};

using Stack = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> row_of(const Stack& all, std::size_t k) {
  const double* first = all.data() + k * all.shape(1);
  return {first, first + all.shape(1)};
}

auto stacked(const std::vector<SgdResult>& results, std::vector<double> SgdWeights::* field) {
  auto out = new_array<double, 2>({results.size(), (results[0].weights.*field).size()});
  double* to = out.data();
  for (const SgdResult& result : results) to = std::ranges::copy(result.weights.*field, to).out;
  return out;
}

void check_softmax(const SgdRows& rows, Index functions) {
  const auto is_class = [&](double y) { return y >= 0 && y < static_cast<double>(functions); };
  if (!std::ranges::all_of(rows.y, is_class)) throw std::invalid_argument("a class has no function");
}

nb::object descend_tasks(const KnownRows& training, const KnownRows* held_out, const std::vector<Index>& positive,
                         const std::vector<std::array<double, 2>>& class_weights, Index functions, const Stack& w,
                         const Stack& average, const std::vector<Index>& updates,
                         const std::vector<std::uint64_t>& seeds, const SgdOptions& options, int threads,
                         double seconds, nb::object report) {
  const std::size_t count = positive.size();
  const auto width = static_cast<std::size_t>(functions * (training.rows().X->features() + 1));
  if (count == 0 || seeds.size() != count || class_weights.size() != count || updates.size() != count ||
      w.shape(0) != count || w.shape(1) != width || average.shape(0) != count || average.shape(1) != width)
    throw std::invalid_argument("the tasks differ in number, or their weights in length");
  if ((options.loss == SgdLoss::softmax) != (functions > 1) || functions < 1)
    throw std::invalid_argument("softmax has several functions, every other loss has one");
  std::vector<SgdTask> tasks;
  for (std::size_t k = 0; k < count; ++k)
    tasks.push_back({training.rows(),
                     held_out ? held_out->rows() : SgdRows{},
                     positive[k],
                     class_weights[k][1],
                     class_weights[k][0],
                     functions,
                     {row_of(w, k), row_of(average, k), updates[k]},
                     seeds[k]});
  if (functions > 1) check_softmax(training.rows(), functions);
  Stop stop(seconds, std::numeric_limits<Index>::max(), report_to(std::move(report)));
  std::vector<SgdResult> results;
  {
    const WithoutGil released;
    results = descend(tasks, options, threads, stop);
  }
  std::vector<Index> passes, made, pulls;
  std::vector<SgdEnd> ends;
  for (const SgdResult& result : results) {
    passes.push_back(result.passes);
    made.push_back(result.weights.updates);
    pulls.push_back(result.pulls);
    ends.push_back(result.end);
  }
  return nb::make_tuple(stacked(results, &SgdWeights::w), stacked(results, &SgdWeights::average), made, passes, pulls,
                        ends);
}

}  // namespace

void bind_sgd(nb::module_& m) {
  nb::enum_<SgdLoss>(m, "SgdLoss")
      .value("SQUARED", SgdLoss::squared)
      .value("LOGISTIC", SgdLoss::logistic)
      .value("SOFTMAX", SgdLoss::softmax)
      .value("HINGE", SgdLoss::hinge)
      .value("SQUARED_HINGE", SgdLoss::squared_hinge)
      .value("EPSILON_INSENSITIVE", SgdLoss::epsilon_insensitive)
      .value("SQUARED_EPSILON_INSENSITIVE", SgdLoss::squared_epsilon_insensitive)
      .value("HUBER", SgdLoss::huber)
      .value("MODIFIED_HUBER", SgdLoss::modified_huber)
      .value("PERCEPTRON", SgdLoss::perceptron);
  nb::enum_<SgdRate>(m, "SgdRate")
      .value("CONSTANT", SgdRate::constant)
      .value("INVERSE_SCALING", SgdRate::inverse_scaling)
      .value("OPTIMAL", SgdRate::optimal)
      .value("ADAPTIVE", SgdRate::adaptive);
  nb::enum_<SgdEnd>(m, "SgdEnd")
      .value("PASSES_DONE", SgdEnd::passes_done)
      .value("RIGHT", SgdEnd::right)
      .value("STEADY", SgdEnd::steady)
      .value("DIVERGED", SgdEnd::diverged)
      .value("TIME_LIMIT", SgdEnd::time_limit)
      .value("INTERRUPTED", SgdEnd::interrupted);

  nb::class_<SgdOptions>(m, "SgdOptions")
      .def(
          "__init__",
          [](SgdOptions* self, SgdLoss loss, double epsilon, double l2, double l1, SgdRate rate, double alpha,
             double eta0, double power_t, Index batch_size, Index max_passes, double tol, Index patience, Index average,
             bool fit_intercept, bool shuffle, double offset_price, bool until_right) {
            if (batch_size < 1 || max_passes < 1 || patience < 1)
              throw std::invalid_argument("batches, passes and patience must be one or more");
            new (self) SgdOptions{loss,    epsilon,       l2,         l1,           rate,       alpha,
                                  eta0,    power_t,       batch_size, max_passes,   tol,        patience,
                                  average, fit_intercept, shuffle,    offset_price, until_right};
          },
          nb::arg("loss"), nb::arg("epsilon"), nb::arg("l2"), nb::arg("l1"), nb::arg("rate"), nb::arg("alpha"),
          nb::arg("eta0"), nb::arg("power_t"), nb::arg("batch_size"), nb::arg("max_passes"), nb::arg("tol"),
          nb::arg("patience"), nb::arg("average"), nb::arg("fit_intercept"), nb::arg("shuffle"),
          nb::arg("offset_price"), nb::arg("until_right"));

  nb::class_<Orders>(m, "Orders")
      .def(nb::init<Index, std::uint64_t, bool>(), nb::arg("n"), nb::arg("seed"), nb::arg("shuffle"))
      .def("next", [](Orders& self) {
        const auto order = self.next();
        auto out = new_array<std::int64_t, 1>({order.size()});
        std::ranges::copy(order, out.data());
        return out;
      });

  nb::class_<KnownRows>(m, "KnownRows")
      .def(nb::init<const Data&, const std::optional<Vector<std::int64_t>>&, Vector<double>,
                    std::optional<Vector<double>>>(),
           nb::arg("X"), nb::arg("rows").none(), nb::arg("y").noconvert(), nb::arg("weight").noconvert().none());

  m.def("descend", &descend_tasks, nb::arg("training"), nb::arg("held_out").none(), nb::arg("positive"),
        nb::arg("class_weights"), nb::arg("functions"), nb::arg("w").noconvert(), nb::arg("average").noconvert(),
        nb::arg("updates"), nb::arg("seeds"), nb::arg("options"), nb::arg("threads"), nb::arg("seconds"),
        nb::arg("report").none());
}

}  // namespace mercer::bind
