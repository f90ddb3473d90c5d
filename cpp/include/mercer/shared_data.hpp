// Data that several problems share, made ready for the kernel when the first of them asks.
#pragma once

#include <memory>
#include <mutex>

#include "mercer/prepared.hpp"

namespace mercer {

// Rows in the frame of a kernel, prepared when first asked for. Any thread may ask.
template <class T>
class SharedRows {
 public:
  // `X` outlives it.
  SharedRows(const Kernel& kernel, const Matrix& X) : kernel_(kernel), X_(X) {}

  const Matrix& matrix() const { return X_; }
  std::shared_ptr<const PreparedRows<T>> get() {
    const std::lock_guard lock(guard_);
    if (!rows_) rows_ = std::make_shared<const PreparedRows<T>>(X_, frame_for(kernel_, X_));
    return rows_;
  }

 private:
  Kernel kernel_;
  Matrix X_;
  std::mutex guard_;
  std::shared_ptr<const PreparedRows<T>> rows_;
};

template <class T>
class SharedData {
 public:
  // `X` outlives it.
  SharedData(const Kernel& kernel, const Matrix& X) : SharedData(kernel, std::make_shared<SharedRows<T>>(kernel, X)) {}
  // Another kernel on the same rows; it takes rows of its own where theirs do not serve it.
  SharedData* with_kernel(const Kernel& kernel) const { return new SharedData(kernel, shared_); }

  Index rows() const { return rows_of(shared_->matrix()); }
  // Throws as Prepared does; the next call then tries again. Any thread may call it.
  std::shared_ptr<const Prepared<T>> get() {
    const std::lock_guard lock(guard_);
    if (prepared_) return prepared_;
    const auto rows = shared_->get();
    prepared_ = rows->frame.serves(kernel_) ? std::make_shared<const Prepared<T>>(kernel_, rows)
                                            : std::make_shared<const Prepared<T>>(kernel_, shared_->matrix());
    return prepared_;
  }

 private:
  SharedData(const Kernel& kernel, std::shared_ptr<SharedRows<T>> shared)
      : kernel_(kernel), shared_(std::move(shared)) {}

  Kernel kernel_;
  std::shared_ptr<SharedRows<T>> shared_;
  std::mutex guard_;
  std::shared_ptr<const Prepared<T>> prepared_;
};

}  // namespace mercer
