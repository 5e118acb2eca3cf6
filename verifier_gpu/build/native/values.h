// Between Python objects and the values of the C interface. The GIL is held.
#pragma once

#include <string>

#include "../headers/leap/abi.h"
#include "python_abi.h"

namespace leap {

// A path below the module torch ("Tensor.sum"); kept for ever. NULL with a
// Python error set if there is no such name.
PyObject* torch_attribute(const char* path);

// A new reference, or an empty one with a Python error set.
Ref to_python(const leap_value& value);

// What an operation returned: tensor, number, string, dtype, or a sequence of them.
// False with a Python error set for anything else.
bool from_python(PyObject* object, leap_value* value);

// An argument of the type at *spec, which advances behind it. False if the
// object is not of that type.
bool parse_argument(PyObject* object, const char** spec, leap_value* value);
// The type at *spec in words ("Optional[torch.Tensor]"), advancing likewise.
std::string spell_type(const char** spec);

// Makes the C++ exception in flight the thread's last error; returns -1. Call inside
// a catch block.
int report_exception();
// Takes the pending Python error and makes it the thread's last error.
void take_error();
// The Python exception of a leap_error_kind.
PyObject* exception_of(int kind);

}  // namespace leap
