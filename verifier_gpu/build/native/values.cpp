#include "values.h"

#include <stdint.h>
#include <string.h>

#include <map>

#include "placement.h"
#include "torch_abi.h"

namespace leap {

PyObject* torch_attribute(const char* path) {
  static auto* cache = new std::map<std::string, PyObject*>();
  PyObject*& found = (*cache)[path];
  if (found != nullptr) return found;
  Ref object(PyImport_ImportModule("torch"));
  std::string rest = path;
  while (object && !rest.empty()) {
    const size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
    object = Ref(PyObject_GetAttrString(object.get(), name.c_str()));
  }
  return found = object.release();
}

namespace {

struct DtypeName {
  int code;
  const char* name;
};
constexpr DtypeName kDtypes[] = {
    {0, "uint8"},       {1, "int8"},        {2, "int16"},        {3, "int32"},
    {4, "int64"},       {5, "float16"},     {6, "float32"},      {7, "float64"},
    {8, "complex32"},   {9, "complex64"},   {10, "complex128"},  {11, "bool"},
    {15, "bfloat16"},   {23, "float8_e5m2"}, {24, "float8_e4m3fn"}, {27, "uint16"},
    {28, "uint32"},     {29, "uint64"},
};

Ref borrowed(PyObject* object) {
  if (object != nullptr) Py_IncRef(object);
  return Ref(object);
}

bool is_instance(PyObject* object, PyObject* type) {
  return type != nullptr && PyObject_IsInstance(object, type) == 1;
}
bool is_tensor(PyObject* object) { return is_instance(object, torch_attribute("Tensor")); }

Ref call_one(PyObject* function, Ref argument) {
  if (function == nullptr || !argument) return Ref();
  Ref arguments(PyTuple_New(1));
  PyTuple_SetItem(arguments.get(), 0, argument.release());
  return Ref(PyObject_Call(function, arguments.get(), nullptr));
}

Ref tensor_to_python(leap_tensor t) {
  Ref list(PyList_New(1));
  PyList_SetItem(list.get(), 0, PyCapsule_New(leap_tensor_retain(t), nullptr, nullptr));
  Ref tensors = call_one(torch_attribute(kTensorsFromHandles), static_cast<Ref&&>(list));
  return tensors ? Ref(PySequence_GetItem(tensors.get(), 0)) : Ref();
}

bool tensor_from_python(PyObject* object, leap_value* value) {
  Ref capsule = call_one(torch_attribute(kHandleFromTensor), borrowed(object));
  if (!capsule) return false;
  value->kind = LEAP_TENSOR;
  value->tensor = static_cast<leap_tensor>(PyCapsule_GetPointer(capsule.get(), nullptr));
  return true;
}

bool dtype_from_python(PyObject* object, leap_value* value) {
  for (const DtypeName& d : kDtypes) {
    if (torch_attribute(d.name) == object) {
      value->kind = LEAP_DTYPE;
      value->integer = d.code;
      return true;
    }
  }
  return false;
}

Ref device_to_python(int type, int index) {
  const int torch_type = torch_device(type);
  std::string text = torch_type == kCuda ? "cuda" : torch_type == kCpu ? "cpu" : "meta";
  if (torch_type == kCuda && index >= 0) text += ":" + std::to_string(index);
  return Ref(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

Ref memory_format_to_python(int64_t format) {
  static constexpr const char* names[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};
  return borrowed(torch_attribute(names[format & 3]));
}

Ref sequence_to_python(const leap_value& v) {
  const bool tuple = v.kind == LEAP_TUPLE;
  Ref sequence(tuple ? PyTuple_New(v.count) : PyList_New(v.count));
  for (int64_t i = 0; i < v.count; ++i) {
    Ref item = to_python(v.items[i]);
    if (!item) return Ref();
    if (tuple) {
      PyTuple_SetItem(sequence.get(), i, item.release());
    } else {
      PyList_SetItem(sequence.get(), i, item.release());
    }
  }
  return sequence;
}

bool sequence_from_python(PyObject* object, leap_value* value) {
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 0) return false;
  value->kind = is_instance(object, &PyTuple_Type) ? LEAP_TUPLE : LEAP_LIST;
  value->count = count;
  value->items = leap_value_items(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(object, i));
    if (!item || !from_python(item.get(), &value->items[i])) return false;
  }
  return true;
}

// Integers convert from whatever Python itself takes as an index, never from float.
bool parse_integer(PyObject* object, char spec, leap_value* value) {
  if (is_instance(object, &PyFloat_Type) || PyIndex_Check(object) == 0) return false;
  Ref index(PyNumber_Index(object));
  value->kind = LEAP_INT;
  if (index) {
    value->integer = spec == 'L' ? static_cast<int64_t>(PyLong_AsUnsignedLongLong(index.get()))
                                 : PyLong_AsLongLong(index.get());
  }
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  switch (spec) {
    case 'c': return value->integer == static_cast<int8_t>(value->integer);
    case 'h': return value->integer == static_cast<int16_t>(value->integer);
    case 'i': return value->integer == static_cast<int32_t>(value->integer);
    case 'C': return value->integer == static_cast<uint8_t>(value->integer);
    case 'H': return value->integer == static_cast<uint16_t>(value->integer);
    case 'I': return value->integer == static_cast<uint32_t>(value->integer);
    default: return true;
  }
}

bool parse_float(PyObject* object, leap_value* value) {
  if (is_instance(object, &PyUnicode_Type)) return false;
  value->kind = LEAP_FLOAT;
  value->real = PyFloat_AsDouble(object);
  if (PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

// Numbers and None convert too, by their truth, as pybind11 does.
bool parse_bool(PyObject* object, leap_value* value) {
  if (!is_instance(object, &PyLong_Type) && !is_instance(object, &PyFloat_Type) &&
      object != &_Py_NoneStruct)
    return false;
  value->kind = LEAP_BOOL;
  value->integer = PyObject_IsTrue(object);
  return true;
}

bool parse_string(PyObject* object, leap_value* value) {
  if (!is_instance(object, &PyUnicode_Type)) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  value->kind = LEAP_STRING;
  value->text = leap_value_text(text, size);
  value->count = size;
  return true;
}

bool parse_scalar(PyObject* object, leap_value* value) {
  if (is_instance(object, &PyBool_Type)) return parse_bool(object, value);
  return parse_integer(object, 'l', value) || parse_float(object, value);
}

bool parse_device(PyObject* object, leap_value* value) {
  Ref text(PyObject_Str(object));
  const char* name = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  if (name == nullptr) {
    PyErr_Clear();
    return false;
  }
  const bool cuda = strncmp(name, "cuda", 4) == 0;
  if (!cuda && strncmp(name, "cpu", 3) != 0) return false;
  const char* colon = strchr(name, ':');
  value->kind = LEAP_DEVICE;
  value->integer = cuda ? kCuda : kCpu;
  value->count = colon == nullptr ? -1 : colon[1] - '0';
  return true;
}

bool parse_list(PyObject* object, const char** spec, leap_value* value) {
  const char* element = *spec;
  spell_type(spec);
  if (is_instance(object, &PyUnicode_Type) || is_tensor(object) || PySequence_Check(object) == 0)
    return false;
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 0) {
    PyErr_Clear();
    return false;
  }
  value->kind = LEAP_LIST;
  value->count = count;
  value->items = leap_value_items(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const char* again = element;
    Ref item(PySequence_GetItem(object, i));
    if (!item || !parse_argument(item.get(), &again, &value->items[i])) return false;
  }
  return true;
}

}  // namespace

Ref to_python(const leap_value& v) {
  switch (v.kind) {
    case LEAP_NONE: return borrowed(&_Py_NoneStruct);
    case LEAP_BOOL: return Ref(PyBool_FromLong(v.integer != 0));
    case LEAP_INT: return Ref(PyLong_FromLongLong(v.integer));
    case LEAP_FLOAT: return Ref(PyFloat_FromDouble(v.real));
    case LEAP_STRING: return Ref(PyUnicode_FromStringAndSize(v.text, v.count));
    case LEAP_TENSOR: return tensor_to_python(v.tensor);
    case LEAP_INTS: {
      Ref tuple(PyTuple_New(v.count));
      for (int64_t i = 0; i < v.count; ++i)
        PyTuple_SetItem(tuple.get(), i, PyLong_FromLongLong(v.ints[i]));
      return tuple;
    }
    case LEAP_LIST:
    case LEAP_TUPLE: return sequence_to_python(v);
    case LEAP_DTYPE:
      for (const DtypeName& d : kDtypes)
        if (d.code == v.integer) return borrowed(torch_attribute(d.name));
      return borrowed(&_Py_NoneStruct);
    case LEAP_DEVICE:
      return device_to_python(static_cast<int>(v.integer), static_cast<int>(v.count));
    case LEAP_MEMORY_FORMAT: return memory_format_to_python(v.integer);
    default: return borrowed(&_Py_NoneStruct);
  }
}

bool from_python(PyObject* object, leap_value* value) {
  if (object == &_Py_NoneStruct) return true;
  if (is_tensor(object)) return tensor_from_python(object, value);
  if (parse_scalar(object, value) || parse_string(object, value) ||
      dtype_from_python(object, value))
    return true;
  if (PySequence_Check(object) != 0) return sequence_from_python(object, value);
  PyErr_SetString(PyExc_TypeError, "an operation returned an object that is not supported");
  return false;
}

bool parse_argument(PyObject* object, const char** spec, leap_value* value) {
  const char letter = *(*spec)++;
  switch (letter) {
    case 'T': return is_tensor(object) && tensor_from_python(object, value);
    case 'f': return parse_float(object, value);
    case 'b': return parse_bool(object, value);
    case 's': return parse_string(object, value);
    case 'S': return parse_scalar(object, value);
    case 'D': return dtype_from_python(object, value);
    case 'V': return parse_device(object, value);
    case '[': return parse_list(object, spec, value);
    case '?':
      if (object != &_Py_NoneStruct) return parse_argument(object, spec, value);
      spell_type(spec);
      return true;
    default: return parse_integer(object, letter, value);
  }
}

std::string spell_type(const char** spec) {
  switch (*(*spec)++) {
    case 'T': return "torch.Tensor";
    case 'f': return "float";
    case 'b': return "bool";
    case 's': return "str";
    case 'S': return "Number";
    case 'D': return "torch.dtype";
    case 'V': return "torch.device";
    case 'v': return "None";
    case '[': return "list[" + spell_type(spec) + "]";
    case '?': return "Optional[" + spell_type(spec) + "]";
    case '(': {
      std::string text = "tuple[";
      while (**spec != ')') text += (text.back() == '[' ? "" : ", ") + spell_type(spec);
      ++*spec;
      return text + "]";
    }
    default: return "int";
  }
}

PyObject* exception_of(int kind) {
  switch (kind) {
    case LEAP_INDEX_ERROR: return PyExc_IndexError;
    case LEAP_VALUE_ERROR: return PyExc_ValueError;
    case LEAP_TYPE_ERROR: return PyExc_TypeError;
    case LEAP_NOT_IMPLEMENTED_ERROR: return PyExc_NotImplementedError;
    case LEAP_OVERFLOW_ERROR: return PyExc_OverflowError;
    case LEAP_MEMORY_ERROR: return PyExc_MemoryError;
    case LEAP_DEVICE_MEMORY_ERROR: return torch_attribute("OutOfMemoryError");
    default: return PyExc_RuntimeError;
  }
}

void take_error() {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  Ref a(type), b(error), c(trace);
  // The most special first: NotImplementedError is a RuntimeError too.
  int kind = LEAP_DEVICE_MEMORY_ERROR;
  while (kind > LEAP_RUNTIME_ERROR && PyErr_GivenExceptionMatches(type, exception_of(kind)) == 0)
    --kind;
  Ref text(error == nullptr ? nullptr : PyObject_Str(error));
  const char* words = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  if (words == nullptr) PyErr_Clear();
  leap_set_error(kind, words == nullptr ? "unknown error" : words);
}

}  // namespace leap

extern "C" {

leap_value* leap_value_items(int64_t count) {
  return new leap_value[static_cast<size_t>(count)]();
}
const char* leap_value_text(const char* text, int64_t count) {
  char* copy = new char[static_cast<size_t>(count) + 1];
  memcpy(copy, text, static_cast<size_t>(count));
  copy[count] = '\0';
  return copy;
}
void leap_value_release(leap_value* value) {
  if (value->kind == LEAP_TENSOR) leap_tensor_release(value->tensor);
  if (value->kind == LEAP_STRING) delete[] value->text;
  if (value->kind == LEAP_LIST || value->kind == LEAP_TUPLE) {
    for (int64_t i = 0; i < value->count; ++i) leap_value_release(&value->items[i]);
    delete[] value->items;
  }
  value->kind = LEAP_NONE;
}

}  // extern "C"
