// Functions of a submission as Python callables.
#include <string>
#include <vector>

#include "values.h"

namespace {

// A leap_function with everything it points to owned. Lives as long as the process.
struct Bound {
  std::string name, doc, result;
  std::vector<std::string> types;
  std::vector<std::string> names;
  std::vector<leap_value> defaults;
  void (*target)();
  void (*invoke)(void (*)(), const leap_value*, leap_value*);
  PyMethodDef method;
};

std::string signature(const Bound& f) {
  std::string text = f.name + "(";
  const size_t first_default = f.types.size() - f.defaults.size();
  for (size_t i = 0; i < f.types.size(); ++i) {
    const char* spec = f.types[i].c_str();
    if (i != 0) text += ", ";
    text += f.names[i] + ": " + leap::spell_type(&spec);
    if (i < first_default) continue;
    Ref object = leap::to_python(f.defaults[i - first_default]);
    Ref shown(PyObject_Repr(object.get()));
    text += std::string(" = ") + PyUnicode_AsUTF8AndSize(shown.get(), nullptr);
  }
  const char* spec = f.result.c_str();
  return text + ") -> " + leap::spell_type(&spec);
}

// The arguments in words, tensors by shape: "Tensor[2, 3], 1.5".
std::string describe(PyObject* arguments) {
  std::string text;
  const Py_ssize_t count = PyTuple_Size(arguments);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    Ref type(PyObject_Type(PyTuple_GetItem(arguments, i)));
    Ref name(PyObject_GetAttrString(type.get(), "__name__"));
    const char* words = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
    text += words == nullptr ? "?" : words;
  }
  return text;
}

PyObject* refuse(const Bound& f, PyObject* arguments) {
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  const std::string text = f.name +
                           "(): incompatible function arguments. The following argument types "
                           "are supported:\n    1. " +
                           signature(f) + "\n\nInvoked with types: " + describe(arguments);
  PyErr_SetString(PyExc_TypeError, text.c_str());
  return nullptr;
}

// Releases the arguments that were parsed, whatever happens.
class Arguments {
 public:
  explicit Arguments(size_t count) : values_(count), owned_(count, false) {}
  ~Arguments() {
    for (size_t i = 0; i < values_.size(); ++i)
      if (owned_[i]) leap_value_release(&values_[i]);
  }
  leap_value* own(size_t i) {
    owned_[i] = true;
    return &values_[i];
  }
  void borrow(size_t i, const leap_value& v) { values_[i] = v; }
  const leap_value* data() const { return values_.data(); }

 private:
  std::vector<leap_value> values_;
  std::vector<bool> owned_;
};

PyObject* call_bound(PyObject* self, PyObject* positional, PyObject* keywords) {
  const Bound& f = *static_cast<const Bound*>(PyCapsule_GetPointer(self, nullptr));
  const size_t given = static_cast<size_t>(PyTuple_Size(positional));
  const size_t wanted = f.types.size();
  const Py_ssize_t named = keywords == nullptr ? 0 : PyDict_Size(keywords);
  if (given > wanted) return refuse(f, positional);
  Arguments arguments(wanted);
  Py_ssize_t used = 0;
  for (size_t i = 0; i < wanted; ++i) {
    PyObject* object = nullptr;
    if (i < given) {
      object = PyTuple_GetItem(positional, static_cast<Py_ssize_t>(i));
    } else if (named > 0) {
      object = PyDict_GetItemString(keywords, f.names[i].c_str());
      if (object != nullptr) ++used;
    }
    if (object == nullptr) {
      if (i < wanted - f.defaults.size()) return refuse(f, positional);
      arguments.borrow(i, f.defaults[i - (wanted - f.defaults.size())]);
      continue;
    }
    const char* spec = f.types[i].c_str();
    if (!leap::parse_argument(object, &spec, arguments.own(i))) return refuse(f, positional);
  }
  if (used != named) return refuse(f, positional);
  leap_value result{};
  try {
    f.invoke(f.target, arguments.data(), &result);
  } catch (...) {
    leap::report_exception();
    PyErr_SetString(leap::exception_of(leap_last_error_kind()), leap_error());
    return nullptr;
  }
  Ref object = leap::to_python(result);
  leap_value_release(&result);
  return object.release();
}

leap_value keep(const leap_value& v) {
  leap_value copy = v;
  if (v.kind == LEAP_STRING) copy.text = leap_value_text(v.text, v.count);
  return copy;
}

}  // namespace

extern "C" void leap_define(void* module, const leap_function* function) {
  Bound* f = new Bound();
  f->name = function->name;
  f->result = function->result;
  for (const char* const* type = function->parameters; *type != nullptr; ++type)
    f->types.emplace_back(*type);
  const bool named = function->name_count == static_cast<int64_t>(f->types.size());
  for (size_t i = 0; i < f->types.size(); ++i)
    f->names.push_back(named ? function->names[i] : "arg" + std::to_string(i));
  for (int64_t i = 0; i < function->default_count; ++i)
    f->defaults.push_back(keep(function->defaults[i]));
  f->target = function->target;
  f->invoke = function->invoke;
  f->doc = signature(*f) + "\n\n" + function->doc;
  f->method = {f->name.c_str(), reinterpret_cast<void*>(&call_bound), METH_VARARGS_KEYWORDS,
               f->doc.c_str()};
  Ref self(PyCapsule_New(f, nullptr, nullptr));
  Ref callable(PyCFunction_NewEx(&f->method, self.get(), nullptr));
  PyObject_SetAttrString(static_cast<PyObject*>(module), f->name.c_str(), callable.get());
}
