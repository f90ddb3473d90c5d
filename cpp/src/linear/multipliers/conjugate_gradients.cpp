#include "conjugate_gradients.hpp"

namespace mercer {
namespace {

// They go on until the residual has fallen to this share.
constexpr double share_of_residual = 0.1;
constexpr int most_steps = 200;

}  // namespace

std::vector<double> step_by_conjugate_gradients(const LinearRows& X, WeightedRows rows, double scale,
                                                const SquaredPenalty& penalty, const std::vector<double>& gradient,
                                                Stop& stop) {
  const std::size_t width = gradient.size();
  const std::vector<std::int32_t>& at = rows.positions;
  std::vector<double>& weights = rows.weights;
  std::vector<double> products(at.size());
  for (double& weight : weights) weight *= scale;
  std::vector<double> diagonal(width, 0.0);
  X.add_squares(at, weights.data(), diagonal.data());
  for (std::size_t j = 0; j < width; ++j) diagonal[j] += penalty.curvature(static_cast<Index>(j));

  std::vector<double> step(width, 0.0), residual(width), direction(width), image(width);
  double size = 0, product = 0;
  for (std::size_t j = 0; j < width; ++j) {
    residual[j] = -gradient[j];
    direction[j] = residual[j] / diagonal[j];
    size += residual[j] * residual[j];
    product += residual[j] * direction[j];
  }
  const double enough = share_of_residual * share_of_residual * size;
  for (int k = 0; k < most_steps && size > enough; ++k) {
    X.dots(at, direction.data(), products.data());
    for (std::size_t i = 0; i < at.size(); ++i) products[i] *= weights[i];
    for (std::size_t j = 0; j < width; ++j) image[j] = penalty.curvature(static_cast<Index>(j)) * direction[j];
    X.add(at, products.data(), image.data());
    double curvature = 0;
    for (std::size_t j = 0; j < width; ++j) curvature += direction[j] * image[j];
    const double length = product / curvature;
    size = 0;
    double next = 0;
    for (std::size_t j = 0; j < width; ++j) {
      step[j] += length * direction[j];
      residual[j] -= length * image[j];
      size += residual[j] * residual[j];
      next += residual[j] * residual[j] / diagonal[j];
    }
    for (std::size_t j = 0; j < width; ++j) direction[j] = residual[j] / diagonal[j] + next / product * direction[j];
    product = next;
    stop.poll();
  }
  return step;
}

}  // namespace mercer
