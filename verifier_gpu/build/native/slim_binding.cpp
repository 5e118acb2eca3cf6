// Slim headers, bodies: what a module defines, and values to and from Python.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <new>
#include <stdexcept>
#include <vector>

#include "../headers/leap/binding.h"
#include "../headers/leap/dispatch.h"

#pragma GCC visibility push(default)

namespace leap {

at::Tensor get_tensor(const leap_value& v) {
  return at::Tensor::adopt(v.kind == LEAP_TENSOR ? leap_tensor_retain(v.tensor) : nullptr);
}
void put_tensor(at::Tensor v, leap_value* out) {
  if (!v.defined()) return;
  out->kind = LEAP_TENSOR;
  out->tensor = v.give_up();
}
void put_text(const char* text, size_t size, leap_value* out) {
  out->kind = LEAP_STRING;
  out->count = static_cast<int64_t>(size);
  out->text = leap_value_text(text, out->count);
}

struct Definition::Parts {
  leap_function function;
  std::vector<const char*> names;
  std::vector<leap_value> defaults;
};
Definition::Definition(const char* name, void (*target)()) : parts_(new Parts()) {
  parts_->function.name = name;
  parts_->function.doc = "";
  parts_->function.target = target;
}
Definition::~Definition() { delete parts_; }
void Definition::add(const char* doc) { parts_->function.doc = doc; }
void Definition::add(const pybind11::arg& a) { parts_->names.push_back(a.name); }
void Definition::add(const pybind11::arg_v& a) {
  parts_->names.push_back(a.name);
  parts_->defaults.push_back(a.value);
}
void Definition::finish(void* module, const char* const* parameters, const char* result,
                        void (*invoke)(void (*)(), const leap_value*, leap_value*)) {
  leap_function& f = parts_->function;
  f.parameters = parameters;
  f.result = result;
  f.names = parts_->names.data();
  f.name_count = static_cast<int64_t>(parts_->names.size());
  f.defaults = parts_->defaults.data();
  f.default_count = static_cast<int64_t>(parts_->defaults.size());
  f.invoke = invoke;
  leap_define(module, &f);
}
// Which Python exception each becomes is pybind11's rule.
int report_exception() {
  try {
    throw;
  } catch (const Error& e) {
    leap_set_error(e.kind(), e.what());
  } catch (const std::bad_alloc& e) {
    leap_set_error(LEAP_MEMORY_ERROR, e.what());
  } catch (const std::domain_error& e) {
    leap_set_error(LEAP_VALUE_ERROR, e.what());
  } catch (const std::invalid_argument& e) {
    leap_set_error(LEAP_VALUE_ERROR, e.what());
  } catch (const std::length_error& e) {
    leap_set_error(LEAP_VALUE_ERROR, e.what());
  } catch (const std::out_of_range& e) {
    leap_set_error(LEAP_INDEX_ERROR, e.what());
  } catch (const std::range_error& e) {
    leap_set_error(LEAP_VALUE_ERROR, e.what());
  } catch (const std::overflow_error& e) {
    leap_set_error(LEAP_OVERFLOW_ERROR, e.what());
  } catch (const std::exception& e) {
    leap_set_error(LEAP_RUNTIME_ERROR, e.what());
  } catch (const char* message) {
    leap_set_error(LEAP_RUNTIME_ERROR, message);
  } catch (...) {
    leap_set_error(LEAP_RUNTIME_ERROR, "Caught an unknown exception!");
  }
  return -1;
}

int initialise(void* object, void (*body)(pybind11::module_&)) {
  try {
    pybind11::module_ module(object);
    body(module);
    return 0;
  } catch (...) {
    return report_exception();
  }
}

}  // namespace leap

#pragma GCC visibility pop
