#include <nanobind/stl/optional.h>

#include <cstring>
#include <system_error>

#include "arrays.hpp"
#include "mercer/file_text.hpp"
#include "mercer/libsvm_reader.hpp"
#include "mercer/libsvm_writer.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// The first values of a buffer, which lives as long as the array.
template <class T>
nb::object array_of(Buffer<T> buffer, Index size) {
  auto* const kept = new Buffer<T>(std::move(buffer));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
  const std::array<std::size_t, 1> shape = {static_cast<std::size_t>(size)};
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), 1, shape.data(), owner));
}

template <class T>
nb::tuple tuple_of(LibsvmData<T> data, bool with_queries) {
  const Index rows = data.rows, entries = data.entries;
  const auto [indices, indptr] = std::visit(
      [&](auto& at) {
        return std::pair(array_of(std::move(at.indices), entries), array_of(std::move(at.indptr), rows + 1));
      },
      data.positions);
  return nb::make_tuple(
      array_of(std::move(data.values), entries), indices, indptr, array_of(std::move(data.labels), rows),
      with_queries ? array_of(std::move(data.queries), rows) : nb::none(), data.columns, data.is_zero_based);
}

LibsvmOptions options_of(IndexBase base, std::optional<Index> columns, bool finite_only, bool with_queries) {
  LibsvmOptions options{.base = base, .finite_only = finite_only, .with_queries = with_queries};
  if (columns) options.columns = *columns;
  if (options.columns < 0) throw std::invalid_argument("there cannot be less than no columns");
  return options;
}

// `open` brings the text, without the GIL.
template <class Open>
nb::tuple read(Open open, bool single, const LibsvmOptions& options, int threads) {
  Stop stop = interruptible();
  const Workers workers{threads, &stop};
  const auto read_as = [&]<class T>(T) {
    LibsvmData<T> data;
    {
      const WithoutGil released;
      const auto text = open(workers);
      data = read_libsvm<T>({text.data(), static_cast<std::size_t>(text.size())}, options, workers);
    }
    return tuple_of(std::move(data), options.with_queries);
  };
  return single ? read_as(float()) : read_as(double());
}

nb::bytes lines(const Data& X, const Vector<double>& labels, std::optional<Vector<std::int64_t>> queries,
                bool is_zero_based, Index first, Index last, int threads) {
  const Index rows = rows_of(X.matrix());
  const bool fits = static_cast<Index>(labels.size()) == rows &&
                    (!queries || static_cast<Index>(queries->size()) == rows) && 0 <= first && first <= last &&
                    last <= rows;
  if (!fits) throw std::invalid_argument("rows, labels and query ids differ in number");
  const LibsvmTable table{X.matrix(), view(labels), queries ? view(*queries) : std::span<const std::int64_t>(),
                          is_zero_based};
  const std::vector<std::string> parts =
      interruptibly([&](Stop* stop) { return libsvm_lines(table, first, last, {threads, stop}); });
  std::size_t size = 0;
  for (const std::string& part : parts) size += part.size();
  PyObject* const text = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (text == nullptr) throw nb::python_error();
  char* at = PyBytes_AS_STRING(text);
  for (const std::string& part : parts) at = std::ranges::copy(part, at).out;
  return nb::steal<nb::bytes>(text);
}

// What was wrong, its line and column, the text there and the index before it are the arguments of the exception.
void translate(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const LibsvmError& error) {
    PyErr_SetObject(static_cast<PyObject*>(type),
                    nb::make_tuple(error.fault, error.line, error.column,
                                   nb::bytes(error.text.data(), error.text.size()), error.before)
                        .ptr());
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
  }
}

}  // namespace

void bind_libsvm(nb::module_& m) {
  nb::enum_<IndexBase>(m, "IndexBase")
      .value("zero", IndexBase::zero)
      .value("one", IndexBase::one)
      .value("detect", IndexBase::detect);
  nb::enum_<LibsvmFault>(m, "LibsvmFault")
      .value("bad_label", LibsvmFault::bad_label)
      .value("missing_label", LibsvmFault::missing_label)
      .value("several_labels", LibsvmFault::several_labels)
      .value("bad_entry", LibsvmFault::bad_entry)
      .value("missing_colon", LibsvmFault::missing_colon)
      .value("negative_index", LibsvmFault::negative_index)
      .value("zero_index", LibsvmFault::zero_index)
      .value("index_beyond", LibsvmFault::index_beyond)
      .value("not_ascending", LibsvmFault::not_ascending)
      .value("repeated_index", LibsvmFault::repeated_index)
      .value("missing_value", LibsvmFault::missing_value)
      .value("bad_value", LibsvmFault::bad_value)
      .value("hexadecimal", LibsvmFault::hexadecimal)
      .value("not_finite", LibsvmFault::not_finite)
      .value("too_large", LibsvmFault::too_large)
      .value("bad_query", LibsvmFault::bad_query)
      .value("misplaced_query", LibsvmFault::misplaced_query)
      .value("missing_query", LibsvmFault::missing_query);
  PyObject* const error = PyErr_NewException("mercer._core.LibsvmError", PyExc_Exception, nullptr);
  m.attr("LibsvmError") = nb::handle(error);
  nb::register_exception_translator(&translate, error);
  m.def(
      "read_libsvm",
      [](const nb::bytes& text, IndexBase base, std::optional<Index> columns, bool single, bool finite_only,
         bool with_queries, int threads) {
        const std::string_view all(text.c_str(), text.size());
        return read([&](const Workers&) { return all; }, single, options_of(base, columns, finite_only, with_queries),
                    threads);
      },
      nb::arg("text"), nb::arg("base"), nb::arg("columns").none(), nb::arg("single"), nb::arg("finite_only"),
      nb::arg("with_queries"), nb::arg("threads"));
  m.def(
      "read_libsvm_file",
      [](int descriptor, Index size, IndexBase base, std::optional<Index> columns, bool single, bool finite_only,
         bool with_queries, int threads) {
        if (size < 0) throw std::invalid_argument("a file cannot be shorter than nothing");
        return read([&](const Workers& workers) { return read_text(descriptor, size, workers); }, single,
                    options_of(base, columns, finite_only, with_queries), threads);
      },
      nb::arg("descriptor"), nb::arg("size"), nb::arg("base"), nb::arg("columns").none(), nb::arg("single"),
      nb::arg("finite_only"), nb::arg("with_queries"), nb::arg("threads"));
  m.def("libsvm_lines", &lines, nb::arg("X"), nb::arg("labels").noconvert(), nb::arg("queries").none().noconvert(),
        nb::arg("is_zero_based"), nb::arg("first"), nb::arg("last"), nb::arg("threads"));
}

}  // namespace mercer::bind
