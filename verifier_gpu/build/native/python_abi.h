// The part of CPython's stable interface (abi3) that the runtime uses, declared
// by hand: a machine needs a C++ compiler, but no Python headers.
#pragma once

#include <stddef.h>

extern "C" {
struct _object;
typedef _object PyObject;
typedef ptrdiff_t Py_ssize_t;
typedef PyObject* (*PyCFunctionWithKeywords)(PyObject*, PyObject*, PyObject*);
struct PyMethodDef {
  const char* ml_name;
  void* ml_meth;
  int ml_flags;
  const char* ml_doc;
};
inline constexpr int METH_VARARGS_KEYWORDS = 0x0001 | 0x0002;

void Py_IncRef(PyObject*);
void Py_DecRef(PyObject*);
int PyGILState_Ensure(void);
void PyGILState_Release(int);

PyObject* PyImport_ImportModule(const char*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
int PyObject_SetAttrString(PyObject*, const char*, PyObject*);
PyObject* PyObject_Call(PyObject*, PyObject*, PyObject*);
PyObject* PyObject_Str(PyObject*);
PyObject* PyObject_Repr(PyObject*);
PyObject* PyObject_Type(PyObject*);
int PyObject_IsInstance(PyObject*, PyObject*);
int PyObject_IsTrue(PyObject*);

PyObject* PyBool_FromLong(long);
PyObject* PyLong_FromLongLong(long long);
long long PyLong_AsLongLong(PyObject*);
unsigned long long PyLong_AsUnsignedLongLong(PyObject*);
PyObject* PyNumber_Index(PyObject*);
int PyIndex_Check(PyObject*);
PyObject* PyFloat_FromDouble(double);
double PyFloat_AsDouble(PyObject*);
PyObject* PyUnicode_FromStringAndSize(const char*, Py_ssize_t);
const char* PyUnicode_AsUTF8AndSize(PyObject*, Py_ssize_t*);
PyObject* PyTuple_New(Py_ssize_t);
int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyTuple_GetItem(PyObject*, Py_ssize_t);
Py_ssize_t PyTuple_Size(PyObject*);
PyObject* PyList_New(Py_ssize_t);
int PyList_SetItem(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyDict_New(void);
int PyDict_SetItemString(PyObject*, const char*, PyObject*);
PyObject* PyDict_GetItemString(PyObject*, const char*);
Py_ssize_t PyDict_Size(PyObject*);
int PySequence_Check(PyObject*);
Py_ssize_t PySequence_Size(PyObject*);
PyObject* PySequence_GetItem(PyObject*, Py_ssize_t);
PyObject* PyCapsule_New(void*, const char*, void (*)(PyObject*));
void* PyCapsule_GetPointer(PyObject*, const char*);
PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject*, PyObject*);

PyObject* PyErr_Occurred(void);
void PyErr_Clear(void);
void PyErr_Fetch(PyObject**, PyObject**, PyObject**);
void PyErr_NormalizeException(PyObject**, PyObject**, PyObject**);
void PyErr_SetString(PyObject*, const char*);
int PyErr_GivenExceptionMatches(PyObject*, PyObject*);

extern PyObject _Py_NoneStruct;
extern PyObject* PyExc_RuntimeError;
extern PyObject* PyExc_TypeError;
extern PyObject* PyExc_IndexError;
extern PyObject* PyExc_ValueError;
extern PyObject* PyExc_NotImplementedError;
extern PyObject* PyExc_OverflowError;
extern PyObject* PyExc_MemoryError;
extern PyObject PyBool_Type;
extern PyObject PyLong_Type;
extern PyObject PyFloat_Type;
extern PyObject PyUnicode_Type;
extern PyObject PyTuple_Type;
extern PyObject PyList_Type;
}

struct _object {
  void* opaque;  // incomplete types cannot be `extern` data; the size is never used
};

// An owned reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& o) noexcept : object_(o.object_) { o.object_ = nullptr; }
  Ref& operator=(Ref&& o) noexcept {
    PyObject* mine = object_;
    object_ = o.object_;
    o.object_ = mine;
    return *this;
  }
  ~Ref() { Py_DecRef(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* o = object_;
    object_ = nullptr;
    return o;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};
