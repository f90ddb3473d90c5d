// The leaves of kernels: functions of two rows that sum over their features and map the sum.
//
// Each has a file of its own in src/leaves. The forms here, their order and their names follow from these files.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

struct Twofold;

// What is summed over the features k of two rows.
enum class FeatureSum {
  dot,               // x_k z_k
  squared_distance,  // (x_k - z_k)^2
  manhattan,         // |x_k - z_k|
};

// The numbers of a leaf, in the order in which its file names them.
inline constexpr std::size_t most_parameters = 4;
struct LeafParameters {
  double values[most_parameters]{};
};

// What the core knows of a leaf outside the loops.
struct LeafForm {
  std::string_view name;
  std::vector<std::string_view> parameters;
  LeafParameters defaults;
  int gamma;  // the place of the parameter of this name, -1 where there is none
  FeatureSum sum;
  bool is_steep;  // at distance zero: next to it distances must be right to the last digits
  double (*value)(const LeafParameters&, double sum);
  Twofold (*twofold_value)(const LeafParameters&, Twofold sum);
  // Neither |value| nor a number on the way to it is larger where both squared norms are at most this.
  double (*bound)(const LeafParameters&, double squared_norm);

  // Depends on x - z alone.
  bool translation_invariant() const { return sum != FeatureSum::dot; }
};

const std::vector<LeafForm>& leaf_forms();

// A leaf with its numbers. Where it has a parameter gamma, it is a function of gamma times its sum.
class Leaf {
 public:
  using Number = std::pair<std::string_view, double>;

  Leaf() = default;
  // Each feature counts in the sum by its weight, all alike where there are none. Throws std::invalid_argument where no
  // leaf has this name, it has no such parameter, or weights are not numbers >= 0 of a leaf of gamma times a distance.
  explicit Leaf(std::string_view name, const std::vector<Number>& numbers = {}, std::vector<double> weights = {});

  int number() const { return number_; }  // in the list of forms
  const LeafForm& form() const { return leaf_forms()[static_cast<std::size_t>(number_)]; }
  const LeafParameters& parameters() const { return parameters_; }
  double parameter(std::string_view name) const;
  const std::vector<double>& weights() const { return weights_; }
  double factor() const { return factor_; }
  double value(double sum) const { return factor_ * form().value(parameters_, sum); }
  Twofold twofold_value(const Twofold& sum) const;

  Leaf times(double factor) const;
  // Whether its value is the same for all rows: with gamma 0 the data do not matter.
  bool is_constant() const;
  // What it multiplies its sum by.
  double gamma() const { return form().gamma < 0 ? 1 : parameters_.values[form().gamma]; }
  // The factor by which the data of a translation-invariant leaf are multiplied, so that its distances are of order
  // one.
  double natural_scale() const;
  // The factors of the features that stand for their weights; none where there are no weights.
  std::vector<double> feature_scales() const;
  // The same leaf on data multiplied by `scale`.
  Leaf rescaled(double scale) const;
  // The same leaf on data whose features were multiplied by their scales.
  Leaf without_weights() const;

 private:
  int number_ = 0;
  LeafParameters parameters_;
  std::vector<double> weights_;
  double factor_ = 1;
};

}  // namespace mercer
