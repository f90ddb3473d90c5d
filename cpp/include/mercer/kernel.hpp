// A kernel as a postfix program: leaves push a tile, operators combine the topmost ones.
#pragma once

#include <string>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

enum class Family {
  linear,      // x.z
  polynomial,  // (gamma x.z + coef0)^degree
  sigmoid,     // tanh(gamma x.z + coef0)
  rbf,         // exp(-gamma |x - z|^2)
  laplacian,   // exp(-gamma |x - z|_1)
  constant,    // coef0
};

struct Leaf {
  Family family = Family::linear;
  double gamma = 1;
  double coef0 = 0;
  int degree = 1;
};

struct Instruction {
  enum class Kind { leaf, add, multiply };
  Kind kind = Kind::leaf;
  Leaf leaf;
};

// What a leaf is a function of.
struct Pair {
  double dot = 0;
  double squared_distance = 0;
  double manhattan = 0;
};

class Kernel {
 public:
  // Throws std::invalid_argument where the program is not one expression.
  explicit Kernel(std::vector<Instruction> program);

  const std::vector<Instruction>& program() const { return program_; }
  int depth() const { return depth_; }

  // Depends on x - z alone, so data may be centred.
  bool translation_invariant() const;
  bool uses_manhattan() const;

  double value(const Pair& pair) const;
  double self_value(double squared_norm) const { return value({squared_norm, 0, 0}); }
  // Neither |k(x, z)| nor a value on the way to it is larger where both squared norms are at most this.
  double bound(double squared_norm) const;

  // The factor by which data of a translation-invariant kernel are multiplied, so that its distances are of order one.
  double natural_scale() const;
  // The same kernel on data multiplied by `scale`.
  Kernel rescaled(double scale) const;

 private:
  // The value on top of the stack after each step.
  template <class LeafValue>
  std::vector<double> fold(LeafValue leaf_value) const;

  std::vector<Instruction> program_;
  int depth_ = 0;
};

}  // namespace mercer
