// Bodies of what the slim headers declare in namespace leap.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "../headers/leap/binding.h"
#include "../headers/leap/dispatch.h"

#pragma GCC visibility push(default)

namespace leap {

// ---- Errors ----

Error::Error(const char* what, int kind) : what_(strdup(what)), kind_(kind) {}
Error::Error(const Error& other)
    : std::exception(other), what_(strdup(other.what_)), kind_(other.kind_) {}
Error::~Error() { free(what_); }
const char* Error::what() const noexcept { return what_; }
void out_of_range(const char* what) { throw std::out_of_range(what); }

void throw_last_error() { throw Error(leap_error(), leap_last_error_kind()); }

void check_failed(int kind, const char* condition, Arguments message) {
  if (message.size() != 0) throw Error(text(message), kind);
  throw Error(std::string("Expected ") + condition +
              " to be true, but got false.  (Could this error message be improved?  If so, "
              "please report an enhancement request to PyTorch.)",
              kind);
}
void undefined_tensor() {
  throw Error("Expected a proper Tensor but got None (or an undefined Tensor in C++)");
}
void bad_dimension(int64_t d, int64_t n) {
  if (n == 0)
    throw Error(text({"Dimension specified as ", d, " but tensor has no dimensions"}),
                LEAP_INDEX_ERROR);
  throw Error(text({"Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
                    "], but got ", d, ")"}),
              LEAP_INDEX_ERROR);
}
void bad_accessor(int64_t expected, int64_t actual) {
  throw Error(text({"TensorAccessor expected ", expected, " dims but tensor has ", actual}));
}
void bad_type(c10::ScalarType expected, c10::ScalarType actual) {
  throw Error(text({"expected scalar type ", expected, " but found ", actual}));
}
void too_large_for_accessor() {
  throw Error("numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
}
void not_implemented(const char* name, c10::ScalarType type) {
  throw Error(text({"\"", name, "\" not implemented for '", type, "'"}),
              LEAP_NOT_IMPLEMENTED_ERROR);
}
void cuda_failed(const char* error) { throw Error(text({"CUDA error: ", error})); }

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

// ---- Text ----

std::string device_text(int type, int index, bool lower_case) {
  std::string text = type == 1 ? (lower_case ? "cuda" : "CUDA")
                   : type == 14 ? (lower_case ? "meta" : "META")
                                : (lower_case ? "cpu" : "CPU");
  return index < 0 ? text : text + ":" + std::to_string(index);
}

void parse_device(const char* given, int8_t* type, int8_t* index) {
  const std::string text = given;
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  *type = name == "cuda" ? 1 : name == "meta" ? 14 : 0;
  *index = -1;
  bool valid = *type != 0 || name == "cpu";
  if (colon != std::string::npos) {
    const std::string digits = text.substr(colon + 1);
    valid = valid && !digits.empty() && digits.size() <= 2 &&
            digits.find_first_not_of("0123456789") == std::string::npos;
    if (valid) *index = static_cast<int8_t>(std::stoi(digits));
  }
  if (!valid) throw Error("Invalid device string: '" + text + "'");
}

const char* type_name(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Byte: return "unsigned char";
    case c10::ScalarType::Char: return "signed char";
    case c10::ScalarType::Short: return "short int";
    case c10::ScalarType::Int: return "int";
    case c10::ScalarType::Long: return "long int";
    case c10::ScalarType::Half: return "c10::Half";
    case c10::ScalarType::Float: return "float";
    case c10::ScalarType::Double: return "double";
    case c10::ScalarType::Bool: return "bool";
    case c10::ScalarType::BFloat16: return "c10::BFloat16";
    case c10::ScalarType::Undefined: return "nullptr (uninitialized)";
    default: return c10::toString(type);
  }
}

static void append_ints(std::string& out, const leap_value& v) {
  out += '[';
  for (int64_t i = 0; i < v.count; ++i) out += (i == 0 ? "" : ", ") + std::to_string(v.ints[i]);
  out += ']';
}

static void append(std::string& out, const leap_value& v) {
  char number[40];
  switch (v.kind) {
    case LEAP_BOOL: out += v.integer != 0 ? '1' : '0'; break;
    case LEAP_CHARACTER: out += static_cast<char>(v.integer); break;
    case LEAP_INT: out += std::to_string(v.integer); break;
    case LEAP_FLOAT:
      snprintf(number, sizeof number, "%g", v.real);
      out += number;
      break;
    case LEAP_STRING: out.append(v.text, static_cast<size_t>(v.count)); break;
    case LEAP_INTS: append_ints(out, v); break;
    case LEAP_DTYPE: out += c10::toString(static_cast<c10::ScalarType>(v.integer)); break;
    case LEAP_DEVICE:
      out += device_text(static_cast<int>(v.integer), static_cast<int>(v.count), true);
      break;
    case LEAP_TENSOR: out += "[tensor]"; break;
    case LEAP_LIST: out += "[tensors]"; break;
    default: break;
  }
}

std::string text(Arguments pieces) {
  std::string out;
  for (const Argument& piece : pieces) append(out, piece.raw());
  return out;
}

// ---- Operations ----

Argument::Argument(const at::Tensor& t) {
  if (!t.defined()) return;
  value_.kind = LEAP_TENSOR;
  value_.tensor = t.handle();
}
Argument::Argument(c10::ArrayRef<at::Tensor> list) {
  owned_ = new leap_value[list.size()]();
  for (size_t i = 0; i < list.size(); ++i) owned_[i] = Argument(list[i]).raw();
  value_.kind = LEAP_LIST;
  value_.count = static_cast<int64_t>(list.size());
  value_.items = owned_;
}
Argument::Argument(const std::vector<at::Tensor>& list)
    : Argument(c10::ArrayRef<at::Tensor>(list)) {}

leap_value call_raw(const char* name, Arguments arguments, Keywords keywords) {
  std::vector<leap_value> values;
  std::vector<const char*> names;
  values.reserve(arguments.size() + keywords.size());
  for (const Argument& a : arguments) values.push_back(a.raw());
  for (const Keyword& k : keywords) {
    names.push_back(k.name);
    values.push_back(k.value.raw());
  }
  leap_value result{};
  check(leap_torch_call(name, values.data(), static_cast<int64_t>(values.size()), names.data(),
                        static_cast<int64_t>(names.size()), &result));
  return result;
}
at::Tensor call(const char* name, Arguments arguments, Keywords keywords) {
  leap_value result = call_raw(name, arguments, keywords);
  if (result.kind == LEAP_TENSOR) return at::Tensor::adopt(result.tensor);
  leap_value_release(&result);
  throw Error(std::string(name) + " did not return a tensor");
}
void call_inplace(const char* name, Arguments arguments, Keywords keywords) {
  leap_value result = call_raw(name, arguments, keywords);
  leap_value_release(&result);
}
std::vector<at::Tensor> call_many(const char* name, Arguments arguments) {
  leap_value result = call_raw(name, arguments);
  std::vector<at::Tensor> tensors;
  for (int64_t i = 0; i < result.count; ++i) {
    tensors.push_back(at::Tensor::adopt(result.items[i].tensor));
    result.items[i].kind = LEAP_NONE;
  }
  leap_value_release(&result);
  return tensors;
}
std::tuple<at::Tensor, at::Tensor> call_two(const char* name, Arguments arguments) {
  std::vector<at::Tensor> t = call_many(name, arguments);
  return {t.at(0), t.at(1)};
}
bool call_bool(const char* name, Arguments arguments, Keywords keywords) {
  return call_raw(name, arguments, keywords).integer != 0;
}
c10::Scalar call_scalar(const char* name, Arguments arguments) {
  return c10::Scalar(call_raw(name, arguments));
}

at::Tensor to(const at::Tensor& t, std::optional<c10::Device> device,
              std::optional<c10::ScalarType> dtype, bool copy) {
  if (device && device->type() == t.device().type() &&
      (!device->has_index() || device->index() == t.device().index()))
    device.reset();
  if (dtype && *dtype == t.scalar_type()) dtype.reset();
  if (!device && !dtype) return copy ? t.clone() : t;
  if (!device) return call("Tensor.to", {t, *dtype});
  return dtype ? call("Tensor.to", {t, *device, *dtype}) : call("Tensor.to", {t, *device});
}

// ---- Factories ----

at::Tensor make(const char* name, Arguments arguments, const c10::TensorOptions& o) {
  return call(name, arguments, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
at::Tensor make_like(const char* name, const at::Tensor& t, const c10::TensorOptions& o) {
  const c10::TensorOptions with = t.options().merge_in(o);
  return call(name, {t}, {{"dtype", with.dtype().toScalarType()}, {"device", with.device()}});
}
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o,
                 std::optional<c10::MemoryFormat> format) {
  const c10::MemoryFormat wanted =
      format.value_or(o.memory_format_opt().value_or(c10::MemoryFormat::Contiguous));
  const c10::Device device = o.device();
  if (wanted != c10::MemoryFormat::Contiguous) {
    return call("empty", {size},
                {{"dtype", o.dtype().toScalarType()}, {"device", device}, {"memory_format", wanted}});
  }
  leap_tensor result = nullptr;
  check(leap_tensor_empty(size.data(), static_cast<int64_t>(size.size()),
                          static_cast<int>(o.dtype().toScalarType()),
                          static_cast<int>(device.type()), device.index(), &result));
  return at::Tensor::adopt(result);
}
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o,
                      std::optional<c10::MemoryFormat> format) {
  const c10::TensorOptions with = t.options().merge_in(o);
  const c10::MemoryFormat wanted =
      format.value_or(o.memory_format_opt().value_or(c10::MemoryFormat::Preserve));
  if (wanted == c10::MemoryFormat::Contiguous ||
      (wanted == c10::MemoryFormat::Preserve && t.is_contiguous()))
    return empty(t.sizes(), with, std::nullopt);
  return call("empty_like", {t},
              {{"dtype", with.dtype().toScalarType()}, {"device", with.device()}, {"memory_format", wanted}});
}
at::Tensor from_blob(void* data, c10::IntArrayRef size, const c10::IntArrayRef* stride,
                     const c10::TensorOptions& o) {
  std::vector<int64_t> strides(size.size(), 1);
  for (size_t i = size.size(); i-- > 1;) strides[i - 1] = strides[i] * size[i];
  const c10::Device device = o.device();
  leap_tensor result = nullptr;
  check(leap_tensor_from_blob(data, size.data(), stride ? stride->data() : strides.data(),
                              static_cast<int64_t>(size.size()),
                              static_cast<int>(o.dtype().toScalarType()),
                              static_cast<int>(device.type()), device.index(), &result));
  return at::Tensor::adopt(result);
}

}  // namespace leap

#pragma GCC visibility pop
