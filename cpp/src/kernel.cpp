#include "mercer/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mercer {
namespace {

using Kind = Instruction::Kind;

double leaf_value(const Leaf& leaf, const Pair& pair) {
  switch (leaf.family) {
    case Family::linear: return pair.dot;
    case Family::polynomial: return std::pow(leaf.gamma * pair.dot + leaf.coef0, leaf.degree);
    case Family::sigmoid: return std::tanh(leaf.gamma * pair.dot + leaf.coef0);
    case Family::rbf: return std::exp(-leaf.gamma * pair.squared_distance);
    case Family::laplacian: return std::exp(-leaf.gamma * pair.manhattan);
    case Family::constant: return leaf.coef0;
  }
  throw std::logic_error("unknown kernel family");
}

double leaf_bound(const Leaf& leaf, double squared_norm) {
  switch (leaf.family) {
    case Family::linear: return squared_norm;
    case Family::polynomial: return std::pow(std::abs(leaf.gamma) * squared_norm + std::abs(leaf.coef0), leaf.degree);
    case Family::constant: return std::abs(leaf.coef0);
    // Its argument must be a number, though any number will do.
    case Family::sigmoid: return std::isfinite(leaf.gamma * squared_norm + std::abs(leaf.coef0)) ? 1 : squared_norm;
    case Family::rbf:
    case Family::laplacian: return 1;
  }
  throw std::logic_error("unknown kernel family");
}

}  // namespace

Kernel::Kernel(std::vector<Instruction> program) : program_(std::move(program)) {
  // With gamma 0 the data do not matter; as a constant the leaf cannot meet a product that overflows.
  for (Instruction& step : program_)
    if (step.kind == Kind::leaf && step.leaf.family != Family::linear && step.leaf.gamma == 0)
      step.leaf = {Family::constant, 1, leaf_value(step.leaf, {}), 1};
  int height = 0;
  for (const Instruction& step : program_) {
    height += step.kind == Kind::leaf ? 1 : -1;
    if (height < 1) throw std::invalid_argument("a kernel operator lacks its operands");
    depth_ = std::max(depth_, height);
  }
  if (height != 1) throw std::invalid_argument("a kernel must be one expression");
}

template <class LeafValue>
std::vector<double> Kernel::fold(LeafValue leaf_value_of) const {
  std::vector<double> stack, values;
  for (const Instruction& step : program_) {
    if (step.kind == Kind::leaf) {
      stack.push_back(leaf_value_of(step.leaf));
    } else {
      const double right = stack.back();
      stack.pop_back();
      stack.back() = step.kind == Kind::add ? stack.back() + right : stack.back() * right;
    }
    values.push_back(stack.back());
  }
  return values;
}

double Kernel::value(const Pair& pair) const {
  return fold([&](const Leaf& leaf) { return leaf_value(leaf, pair); }).back();
}

double Kernel::bound(double squared_norm) const {
  double largest = 0;
  for (const double value : fold([&](const Leaf& leaf) { return leaf_bound(leaf, squared_norm); }))
    if (!(value <= largest)) largest = value;  // keeps what is not a number
  return largest;
}

bool Kernel::translation_invariant() const {
  return std::ranges::all_of(program_, [](const Instruction& step) {
    return step.kind != Kind::leaf || step.leaf.family == Family::rbf || step.leaf.family == Family::laplacian ||
           step.leaf.family == Family::constant;
  });
}

bool Kernel::uses_manhattan() const {
  return std::ranges::any_of(program_, [](const Instruction& step) {
    return step.kind == Kind::leaf && step.leaf.family == Family::laplacian;
  });
}

double Kernel::natural_scale() const {
  for (const Instruction& step : program_) {
    if (step.kind != Kind::leaf || !(step.leaf.gamma > 0)) continue;
    if (step.leaf.family == Family::rbf) return std::sqrt(step.leaf.gamma);
    if (step.leaf.family == Family::laplacian) return step.leaf.gamma;
  }
  return 1;
}

Kernel Kernel::rescaled(double scale) const {
  std::vector<Instruction> program = program_;
  for (Instruction& step : program) {
    if (step.kind != Kind::leaf) continue;
    if (step.leaf.family == Family::rbf)
      step.leaf.gamma = step.leaf.gamma / scale / scale;
    else if (step.leaf.family == Family::laplacian)
      step.leaf.gamma = step.leaf.gamma / scale;
    else if (step.leaf.family != Family::constant && scale != 1)
      throw std::logic_error("only translation-invariant kernels are rescaled");
  }
  return Kernel(std::move(program));
}

}  // namespace mercer
