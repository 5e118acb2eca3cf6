// Bodies of what the slim headers declare in namespace leap.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>
#include <string>
#include <vector>

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

// ---- Metadata ----

static leap_tensor defined(leap_tensor t) {
  if (t == nullptr) undefined_tensor();
  return t;
}
static int64_t wrap(int64_t d, int64_t n) {
  if (d >= -n && d < n) return d < 0 ? d + n : d;
  if (n == 0)
    throw Error(text({"Dimension specified as ", d, " but tensor has no dimensions"}),
                LEAP_INDEX_ERROR);
  throw Error(text({"Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
                    "], but got ", d, ")"}),
              LEAP_INDEX_ERROR);
}
int64_t dim(leap_tensor t) { return leap_tensor_dim(defined(t)); }
c10::IntArrayRef sizes(leap_tensor t) {
  const size_t n = static_cast<size_t>(dim(t));
  return {leap_tensor_sizes(t), n};
}
c10::IntArrayRef strides(leap_tensor t) {
  const size_t n = static_cast<size_t>(dim(t));
  return {leap_tensor_strides(t), n};
}
int64_t size(leap_tensor t, int64_t d) {
  const c10::IntArrayRef all = sizes(t);
  return all[static_cast<size_t>(wrap(d, static_cast<int64_t>(all.size())))];
}
int64_t stride(leap_tensor t, int64_t d) {
  const c10::IntArrayRef all = strides(t);
  return all[static_cast<size_t>(wrap(d, static_cast<int64_t>(all.size())))];
}
c10::Device device(leap_tensor t) {
  int type = 0, index = -1;
  leap_tensor_device(defined(t), &type, &index);
  return {static_cast<c10::DeviceType>(type), static_cast<c10::DeviceIndex>(index)};
}
static c10::ScalarType dtype(leap_tensor t) {
  return t == nullptr ? c10::ScalarType::Undefined
                      : static_cast<c10::ScalarType>(leap_tensor_dtype(t));
}
Options options(leap_tensor t) {
  return c10::TensorOptions(dtype(t)).device(device(t)).raw();
}
void* data(leap_tensor t) { return leap_tensor_data(defined(t)); }
void* data(leap_tensor t, c10::ScalarType expected) {
  if (dtype(t) != expected)
    throw Error(text({"expected scalar type ", expected, " but found ", dtype(t)}));
  return data(t);
}
void expect_dim(leap_tensor t, int64_t expected) {
  if (dim(t) != expected)
    throw Error(text({"TensorAccessor expected ", expected, " dims but tensor has ", dim(t)}));
}
c10::DeviceIndex index_of(std::optional<c10::Device> device) {
  return device ? device->index() : -1;
}
std::optional<c10::Device> device_of(const at::Tensor& t) {
  return t.defined() ? std::optional<c10::Device>(t.device()) : std::nullopt;
}

// ---- Options ----

void set(Options* o, std::optional<c10::ScalarType> v) {
  o->has_dtype = v.has_value();
  o->dtype = v.value_or(Options().dtype);
}
void set(Options* o, std::optional<c10::Device> v) {
  o->has_device = v.has_value();
  o->device = v.value_or(Options().device);
}
void set(Options* o, std::optional<c10::MemoryFormat> v) {
  o->has_memory_format = v.has_value();
  o->memory_format = v.value_or(Options().memory_format);
}
std::optional<c10::ScalarType> asked_dtype(const Options& o) {
  return o.has_dtype ? std::optional<c10::ScalarType>(o.dtype) : std::nullopt;
}
std::optional<c10::Device> asked_device(const Options& o) {
  return o.has_device ? std::optional<c10::Device>(o.device) : std::nullopt;
}
std::optional<c10::MemoryFormat> asked_memory_format(const Options& o) {
  return o.has_memory_format ? std::optional<c10::MemoryFormat>(o.memory_format) : std::nullopt;
}
Options merge(const Options& o, const Options& more) {
  Options merged = o;
  if (more.has_dtype) set(&merged, asked_dtype(more));
  if (more.has_device) set(&merged, asked_device(more));
  if (more.has_memory_format) set(&merged, asked_memory_format(more));
  return merged;
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
Argument::Argument(const c10::Scalar& s) : value_(s.raw()) {}
Argument::Argument(bool v) { number(LEAP_BOOL, v); }
Argument::Argument(char v) { number(LEAP_CHARACTER, v); }
Argument::Argument(short v) { number(LEAP_INT, v); }
Argument::Argument(unsigned short v) { number(LEAP_INT, v); }
Argument::Argument(int v) { number(LEAP_INT, v); }
Argument::Argument(unsigned v) { number(LEAP_INT, v); }
Argument::Argument(long v) { number(LEAP_INT, v); }
Argument::Argument(unsigned long v) { number(LEAP_INT, static_cast<int64_t>(v)); }
Argument::Argument(long long v) { number(LEAP_INT, v); }
Argument::Argument(unsigned long long v) { number(LEAP_INT, static_cast<int64_t>(v)); }
Argument::Argument(float v) : Argument(static_cast<double>(v)) {}
Argument::Argument(double v) { value_.kind = LEAP_FLOAT, value_.real = v; }
Argument::Argument(const char* text) : Argument(std::string_view(text)) {}
Argument::Argument(const std::string& text) : Argument(std::string_view(text)) {}
Argument::Argument(std::string_view text) {
  value_.kind = LEAP_STRING;
  value_.text = text.data();
  value_.count = static_cast<int64_t>(text.size());
}
Argument::Argument(c10::IntArrayRef v) {
  value_.kind = LEAP_INTS;
  value_.ints = v.data();
  value_.count = static_cast<int64_t>(v.size());
}
Argument::Argument(const std::vector<int64_t>& v) : Argument(c10::IntArrayRef(v)) {}
Argument::Argument(const c10::OptionalIntArrayRef& v) {
  if (v.has_value()) *this = Argument(v.value());
}
Argument::Argument(c10::ScalarType v) { number(LEAP_DTYPE, static_cast<int64_t>(v)); }
Argument::Argument(caffe2::TypeMeta v) : Argument(v.name()) {}
Argument::Argument(c10::MemoryFormat v) {
  number(LEAP_MEMORY_FORMAT, static_cast<int64_t>(v));
}
Argument::Argument(const c10::Device& v) {
  number(LEAP_DEVICE, static_cast<int64_t>(v.type()));
  value_.count = v.index();
}
Argument::Argument(c10::DeviceType v) : Argument(c10::Device(v)) {}
Argument::Argument(std::nullopt_t) {}
template <typename T>
static Argument argument_or_none(const std::optional<T>& v) {
  return v ? Argument(*v) : Argument(std::nullopt);
}
Argument::Argument(const std::optional<c10::Scalar>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(const std::optional<c10::ScalarType>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(const std::optional<int64_t>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(Argument&& other) : value_(other.value_), owned_(other.owned_) {
  other.owned_ = nullptr;
}
Argument& Argument::operator=(Argument&& other) {
  value_ = other.value_;
  std::swap(owned_, other.owned_);
  return *this;
}
Argument::~Argument() { delete[] owned_; }

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
static std::vector<at::Tensor> take_tensors(leap_value result) {
  std::vector<at::Tensor> tensors;
  for (int64_t i = 0; i < result.count; ++i) {
    tensors.push_back(at::Tensor::adopt(result.items[i].tensor));
    result.items[i].kind = LEAP_NONE;
  }
  leap_value_release(&result);
  return tensors;
}
std::vector<at::Tensor> call_many(const char* name, const at::Tensor& t,
                                  std::initializer_list<int64_t> numbers) {
  std::vector<leap_value> arguments = {Argument(t).raw()};
  for (int64_t number : numbers) arguments.push_back(Argument(number).raw());
  leap_value result{};
  check(leap_torch_call(name, arguments.data(), static_cast<int64_t>(arguments.size()), nullptr, 0,
                        &result));
  return take_tensors(result);
}
std::tuple<at::Tensor, at::Tensor> call_two(const char* name, Arguments arguments) {
  std::vector<at::Tensor> t = take_tensors(call_raw(name, arguments));
  return {t.at(0), t.at(1)};
}
bool call_bool(const char* name, Arguments arguments, Keywords keywords) {
  return call_raw(name, arguments, keywords).integer != 0;
}
c10::Scalar call_scalar(const char* name, Arguments arguments) {
  return c10::Scalar(call_raw(name, arguments));
}

at::Tensor to(const at::Tensor& t, const Options& o, bool copy) {
  const c10::Device now = t.device(), wanted = o.device;
  const bool moves = o.has_device && (wanted.type() != now.type() ||
                                      (wanted.has_index() && wanted.index() != now.index()));
  const bool converts = o.has_dtype && o.dtype != t.scalar_type();
  if (!moves && !converts) return copy ? t.clone() : t;
  if (!moves) return call("Tensor.to", {t, o.dtype});
  return converts ? call("Tensor.to", {t, o.device, o.dtype}) : call("Tensor.to", {t, o.device});
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const std::optional<at::Tensor>& bias) {
  return call("nn.functional.linear", {x, weight, bias});
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
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o) {
  return leap::empty(size, o, std::nullopt);
}
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o) {
  return leap::empty_like(t, o, std::nullopt);
}
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o,
                      std::optional<c10::MemoryFormat> format) {
  const c10::TensorOptions with = t.options().merge_in(o);
  const c10::MemoryFormat wanted =
      format.value_or(o.memory_format_opt().value_or(c10::MemoryFormat::Preserve));
  if (wanted == c10::MemoryFormat::Contiguous ||
      (wanted == c10::MemoryFormat::Preserve && t.is_contiguous()))
    return leap::empty(t.sizes(), with);
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

// ---- Binding ----

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
