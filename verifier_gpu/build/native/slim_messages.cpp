// Slim headers, bodies: errors, and values as text.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdexcept>
#include <string>

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

}  // namespace leap

#pragma GCC visibility pop
