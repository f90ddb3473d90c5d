#include "mercer/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "leaf_list.hpp"
#include "numbers.hpp"

namespace mercer {
namespace {

template <class Form, class Numbers>
typename Numbers::Number value_in(const LeafParameters& numbers, typename Numbers::Number sum) {
  return typename Form::template Map<Numbers>(with_parameters<Form>(numbers))(sum);
}

template <class Form>
LeafForm form_of(std::string_view name) {
  LeafForm found{.name = name,
                 .parameters = {},
                 .defaults = {},
                 .gamma = -1,
                 .sum = Form::sum,
                 .is_steep = is_steep<Form>(),
                 .value = value_in<Form, Doubles>,
                 .twofold_value = value_in<Form, Twofolds>,
                 .bound = [](const LeafParameters& numbers, double squared_norm) {
                   return with_parameters<Form>(numbers).bound(squared_norm);
                 }};
  for (const Parameter<Form>& parameter : Form::parameters.list) {
    if (!parameter.name) continue;
    if (std::string_view(parameter.name) == "gamma") found.gamma = static_cast<int>(found.parameters.size());
    found.defaults.values[found.parameters.size()] = Form().*parameter.member;
    found.parameters.emplace_back(parameter.name);
  }
  return found;
}

template <class... Forms>
std::vector<LeafForm> forms_of(LeafList<Forms...>) {
  const std::string_view* name = leaf_names;
  return {form_of<Forms>(*name++)...};
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

}  // namespace

const std::vector<LeafForm>& leaf_forms() {
  static const std::vector<LeafForm> forms = forms_of(EveryLeaf{});
  return forms;
}

Leaf::Leaf(std::string_view name, const std::vector<Number>& numbers, std::vector<double> weights)
    : weights_(std::move(weights)) {
  const auto found = std::ranges::find(leaf_forms(), name, &LeafForm::name);
  if (found == leaf_forms().end()) {
    std::vector<std::string_view> names;
    for (const LeafForm& form : leaf_forms()) names.push_back(form.name);
    throw std::invalid_argument("expected one of the leaves " + listed(names) + ", got " + std::string(name));
  }
  number_ = static_cast<int>(found - leaf_forms().begin());
  parameters_ = form().defaults;
  for (const auto& [parameter, value] : numbers) {
    const auto place = std::ranges::find(form().parameters, parameter);
    if (place == form().parameters.end())
      throw std::invalid_argument("expected the parameters of " + std::string(name) + " to be among (" +
                                  listed(form().parameters) + "), got " + std::string(parameter));
    parameters_.values[place - form().parameters.begin()] = value;
  }
  if (weights_.empty()) return;
  if (form().gamma < 0 || !form().translation_invariant())
    throw std::invalid_argument(std::string(name) + " has no weights of features");
  for (const double weight : weights_)
    if (!(weight >= 0) || !std::isfinite(weight))
      throw std::invalid_argument("expected weights of features that are finite numbers >= 0");
}

double Leaf::parameter(std::string_view name) const {
  const auto place = std::ranges::find(form().parameters, name);
  if (place == form().parameters.end())
    throw std::invalid_argument(std::string(form().name) + " has no parameter " + std::string(name));
  return parameters_.values[place - form().parameters.begin()];
}

Twofold Leaf::twofold_value(const Twofold& sum) const {
  const Twofold value = form().twofold_value(parameters_, sum);
  return factor_ == 1 ? value : Twofold{factor_, 0} * value;
}

Leaf Leaf::times(double factor) const {
  Leaf product = *this;
  product.factor_ *= factor;
  return product;
}

bool Leaf::is_constant() const {
  const bool all_zero = !weights_.empty() && std::ranges::all_of(weights_, [](double weight) { return weight == 0; });
  return gamma() == 0 || all_zero;
}

double Leaf::natural_scale() const {
  if (!form().translation_invariant()) return 1;
  return form().sum == FeatureSum::squared_distance ? std::sqrt(gamma()) : gamma();
}

std::vector<double> Leaf::feature_scales() const {
  std::vector<double> scales = weights_;
  if (form().sum == FeatureSum::squared_distance)
    for (double& scale : scales) scale = std::sqrt(scale);
  return scales;
}

Leaf Leaf::without_weights() const {
  Leaf plain = *this;
  plain.weights_.clear();
  return plain;
}

Leaf Leaf::rescaled(double scale) const {
  if (scale == 1) return *this;
  if (form().gamma < 0 || !form().translation_invariant())
    throw std::logic_error("only leaves of gamma times a distance are rescaled");
  Leaf scaled = *this;
  double& gamma = scaled.parameters_.values[form().gamma];
  gamma /= scale;
  if (form().sum == FeatureSum::squared_distance) gamma /= scale;
  return scaled;
}

}  // namespace mercer
