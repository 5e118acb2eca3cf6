// Operations, called through torch's own Python functions: the dispatcher's
// work and error texts, whatever the signature, on every version of torch.
#include <string.h>

#include "placement.h"
#include "values.h"

namespace {

class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }

 private:
  int state_;
};

// Where the submission asked for the result: a device argument, or -1. Sets
// `near_device` if any tensor among the arguments is on the device.
int asked_device(const leap_value* arguments, int64_t count, bool* near_device) {
  int asked = -1;
  for (int64_t i = 0; i < count; ++i) {
    const leap_value& v = arguments[i];
    if (v.kind == LEAP_DEVICE) asked = static_cast<int>(v.integer);
    if (v.kind == LEAP_LIST) asked_device(v.items, v.count, near_device);
    if (v.kind != LEAP_TENSOR) continue;
    int type = 0, index = 0;
    leap::device_of(v.tensor, &type, &index);
    *near_device = *near_device || type == leap::kCuda;
  }
  return asked;
}

bool settle_all(leap_value* value, int asked, bool near_device) {
  if (value->kind == LEAP_TENSOR) {
    value->tensor = leap::settle(value->tensor, asked, near_device);
    if (value->tensor == nullptr) value->kind = LEAP_NONE;
    return value->tensor != nullptr;
  }
  if (value->kind != LEAP_LIST && value->kind != LEAP_TUPLE) return true;
  for (int64_t i = 0; i < value->count; ++i)
    if (!settle_all(&value->items[i], asked, near_device)) return false;
  return true;
}

int fail() {
  leap::take_error();
  return -1;
}

}  // namespace

extern "C" int leap_torch_call(const char* name, const leap_value* arguments, int64_t count,
                               const char* const* keywords, int64_t keyword_count,
                               leap_value* result) {
  Gil gil;
  PyObject* function = leap::torch_attribute(name);
  if (function == nullptr) return fail();
  const int64_t positional = count - keyword_count;
  Ref tuple(PyTuple_New(positional));
  Ref dictionary(PyDict_New());
  for (int64_t i = 0; i < count; ++i) {
    Ref object = leap::to_python(arguments[i]);
    if (!object) return fail();
    if (i < positional) {
      PyTuple_SetItem(tuple.get(), i, object.release());
    } else if (arguments[i].kind != LEAP_NONE) {
      PyDict_SetItemString(dictionary.get(), keywords[i - positional], object.get());
    }
  }
  Ref value(PyObject_Call(function, tuple.get(), dictionary.get()));
  if (!value || !leap::from_python(value.get(), result)) return fail();
  bool near_device = false;
  const int asked = asked_device(arguments, count, &near_device);
  if (settle_all(result, asked, near_device)) return 0;
  leap_value_release(result);
  leap_set_error(LEAP_DEVICE_MEMORY_ERROR, "CUDA out of memory.");
  return -1;
}
