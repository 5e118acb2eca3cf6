// Members of at::Tensor that are torch operations. Included inside the class.

// ---- Shape ----
Tensor contiguous(MemoryFormat f = MemoryFormat::Contiguous) const {
  if (f == MemoryFormat::Contiguous && is_contiguous()) return *this;
  return leap::call("Tensor.contiguous", {*this}, {{"memory_format", f}});
}
Tensor view(IntArrayRef size) const { return leap::call("Tensor.view", {*this, size}); }
Tensor view(ScalarType t) const { return leap::call("Tensor.view", {*this, t}); }
Tensor view_as(const Tensor& o) const { return view(o.sizes()); }
Tensor reshape(IntArrayRef size) const { return leap::call("Tensor.reshape", {*this, size}); }
Tensor reshape_as(const Tensor& o) const { return reshape(o.sizes()); }
Tensor flatten(int64_t start = 0, int64_t end = -1) const {
  return leap::call("Tensor.flatten", {*this, start, end});
}
Tensor unflatten(int64_t d, IntArrayRef sizes) const {
  return leap::call("Tensor.unflatten", {*this, d, sizes});
}
Tensor transpose(int64_t a, int64_t b) const {
  return leap::call("Tensor.transpose", {*this, a, b});
}
Tensor permute(IntArrayRef dims) const { return leap::call("Tensor.permute", {*this, dims}); }
Tensor movedim(int64_t from, int64_t to) const {
  return leap::call("Tensor.movedim", {*this, from, to});
}
Tensor t() const { return leap::call("Tensor.t", {*this}); }
Tensor unsqueeze(int64_t d) const { return leap::call("Tensor.unsqueeze", {*this, d}); }
Tensor squeeze() const { return leap::call("Tensor.squeeze", {*this}); }
Tensor squeeze(int64_t d) const { return leap::call("Tensor.squeeze", {*this, d}); }
Tensor& unsqueeze_(int64_t d) { return *this = unsqueeze(d); }
Tensor& squeeze_() { return *this = squeeze(); }
Tensor& squeeze_(int64_t d) { return *this = squeeze(d); }
Tensor expand(IntArrayRef size, bool = false) const {
  return leap::call("Tensor.expand", {*this, size});
}
Tensor expand_as(const Tensor& o) const { return expand(o.sizes()); }
Tensor repeat(IntArrayRef repeats) const { return leap::call("Tensor.repeat", {*this, repeats}); }
Tensor select(int64_t d, int64_t i) const { return leap::call("Tensor.select", {*this, d, i}); }
Tensor operator[](int64_t i) const { return select(0, i); }
Tensor slice(int64_t d = 0, std::optional<int64_t> start = std::nullopt,
             std::optional<int64_t> end = std::nullopt, int64_t step = 1) const {
  return leap::call("ops.aten.slice", {*this, d, start, end, step});
}
Tensor narrow(int64_t d, int64_t start, int64_t length) const {
  return leap::call("Tensor.narrow", {*this, d, start, length});
}
Tensor as_strided(IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> offset = std::nullopt) const {
  return leap::call("Tensor.as_strided", {*this, size, stride, offset});
}
std::vector<Tensor> chunk(int64_t chunks, int64_t d = 0) const {
  return leap::call_many("Tensor.chunk", *this, {chunks, d});
}
std::vector<Tensor> split(int64_t size, int64_t d = 0) const {
  return leap::call_many("Tensor.split", *this, {size, d});
}
std::vector<Tensor> unbind(int64_t d = 0) const {
  return leap::call_many("Tensor.unbind", *this, {d});
}
std::vector<Tensor> split(IntArrayRef sizes, int64_t d = 0) const {
  return leap::call_list("Tensor.split", {*this, sizes, d});
}
std::vector<Tensor> split_with_sizes(IntArrayRef sizes, int64_t d = 0) const {
  return split(sizes, d);
}
Tensor flip(IntArrayRef dims) const { return leap::call("Tensor.flip", {*this, dims}); }
Tensor roll(IntArrayRef shifts, IntArrayRef dims) const {
  return leap::call("Tensor.roll", {*this, shifts, dims});
}
Tensor tril(int64_t diagonal = 0) const { return leap::call("Tensor.tril", {*this, diagonal}); }
Tensor triu(int64_t diagonal = 0) const { return leap::call("Tensor.triu", {*this, diagonal}); }
Tensor diagonal(int64_t offset = 0, int64_t a = 0, int64_t b = 1) const {
  return leap::call("Tensor.diagonal", {*this, offset, a, b});
}
Tensor unfold(int64_t d, int64_t size, int64_t step) const {
  return leap::call("Tensor.unfold", {*this, d, size, step});
}
Tensor nonzero() const { return leap::call("Tensor.nonzero", {*this}); }
Tensor masked_select(const Tensor& mask) const {
  return leap::call("Tensor.masked_select", {*this, mask});
}
Tensor index_select(int64_t d, const Tensor& index) const {
  return leap::call("Tensor.index_select", {*this, d, index});
}
Tensor gather(int64_t d, const Tensor& index) const {
  return leap::call("Tensor.gather", {*this, d, index});
}

// ---- Type and device ----
Tensor to(ScalarType t, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(t).raw(), copy);
}
Tensor to(caffe2::TypeMeta t, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(t).raw(), copy);
}
Tensor to(Device d, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(d).raw(), copy);
}
Tensor to(DeviceType d, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(d).raw(), copy);
}
Tensor to(const char* d, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(Device(d)).raw(), copy);
}
Tensor to(Device d, ScalarType t, bool = false, bool copy = false) const {
  return leap::to(*this, TensorOptions(t).device(d).raw(), copy);
}
Tensor to(const TensorOptions& o, bool = false, bool copy = false) const {
  return leap::to(*this, o.raw(), copy);
}
Tensor to(const Tensor& o) const { return leap::to(*this, o.options().raw(), false); }
Tensor toType(ScalarType t) const { return to(t); }
Tensor type_as(const Tensor& o) const { return to(o); }
Tensor cpu() const { return to(Device(DeviceType::CPU)); }
Tensor cuda() const { return to(Device(DeviceType::CUDA)); }
Tensor detach() const { return leap::call("Tensor.detach", {*this}); }
Tensor clone() const { return leap::call("Tensor.clone", {*this}); }
Tensor clone(MemoryFormat f) const {
  return leap::call("Tensor.clone", {*this}, {{"memory_format", f}});
}

// ---- In place ----
Tensor& fill_(const Scalar& v) { return run_("Tensor.fill_", {*this, v}); }
Tensor& zero_() { return run_("Tensor.zero_", {*this}); }
Tensor& copy_(const Tensor& src, bool = false) { return run_("Tensor.copy_", {*this, src}); }
Tensor& resize_(IntArrayRef size) { return run_("Tensor.resize_", {*this, size}); }
Tensor& add_(const Tensor& o, const Scalar& alpha = 1) {
  return run_("Tensor.add_", {*this, o}, {{"alpha", alpha}});
}
Tensor& add_(const Scalar& v) { return run_("Tensor.add_", {*this, v}); }
Tensor& sub_(const Tensor& o, const Scalar& alpha = 1) {
  return run_("Tensor.sub_", {*this, o}, {{"alpha", alpha}});
}
Tensor& sub_(const Scalar& v) { return run_("Tensor.sub_", {*this, v}); }
Tensor& mul_(const Tensor& o) { return run_("Tensor.mul_", {*this, o}); }
Tensor& mul_(const Scalar& v) { return run_("Tensor.mul_", {*this, v}); }
Tensor& div_(const Tensor& o) { return run_("Tensor.div_", {*this, o}); }
Tensor& div_(const Scalar& v) { return run_("Tensor.div_", {*this, v}); }
Tensor& clamp_(const std::optional<Scalar>& low, const std::optional<Scalar>& high = std::nullopt) {
  return run_("Tensor.clamp_", {*this, low, high});
}
Tensor& clamp_min_(const Scalar& v) { return run_("Tensor.clamp_min_", {*this, v}); }
Tensor& clamp_max_(const Scalar& v) { return run_("Tensor.clamp_max_", {*this, v}); }
Tensor& masked_fill_(const Tensor& mask, const Scalar& v) {
  return run_("Tensor.masked_fill_", {*this, mask, v});
}
Tensor& index_add_(int64_t d, const Tensor& index, const Tensor& source) {
  return run_("Tensor.index_add_", {*this, d, index, source});
}
Tensor& scatter_add_(int64_t d, const Tensor& index, const Tensor& source) {
  return run_("Tensor.scatter_add_", {*this, d, index, source});
}
Tensor& addmm_(const Tensor& a, const Tensor& b, const Scalar& beta = 1, const Scalar& alpha = 1) {
  return run_("Tensor.addmm_", {*this, a, b}, {{"beta", beta}, {"alpha", alpha}});
}
#define LEAP_UNARY_IN_PLACE(name) \
  Tensor& name() { return run_("Tensor." #name, {*this}); }
LEAP_UNARY_IN_PLACE(abs_)
LEAP_UNARY_IN_PLACE(neg_)
LEAP_UNARY_IN_PLACE(exp_)
LEAP_UNARY_IN_PLACE(log_)
LEAP_UNARY_IN_PLACE(sqrt_)
LEAP_UNARY_IN_PLACE(rsqrt_)
LEAP_UNARY_IN_PLACE(reciprocal_)
LEAP_UNARY_IN_PLACE(sigmoid_)
LEAP_UNARY_IN_PLACE(tanh_)
#undef LEAP_UNARY_IN_PLACE
Tensor& relu_() { return run_("Tensor.relu_", {*this}); }
Tensor& operator+=(const Tensor& o) { return add_(o); }
Tensor& operator+=(const Scalar& v) { return add_(v); }
Tensor& operator-=(const Tensor& o) { return sub_(o); }
Tensor& operator-=(const Scalar& v) { return sub_(v); }
Tensor& operator*=(const Tensor& o) { return mul_(o); }
Tensor& operator*=(const Scalar& v) { return mul_(v); }
Tensor& operator/=(const Tensor& o) { return div_(o); }
Tensor& operator/=(const Scalar& v) { return div_(v); }

// ---- Reductions ----
#define LEAP_REDUCTION(name)                                                           \
  Tensor name(ScalarTypeOpt dtype = std::nullopt) const {                              \
    return leap::call("Tensor." #name, {*this}, {{"dtype", dtype}});                   \
  }                                                                                    \
  Tensor name(OptionalIntArrayRef d, bool keepdim = false,                             \
              ScalarTypeOpt dtype = std::nullopt) const {                              \
    return leap::call("Tensor." #name, {*this, d, keepdim}, {{"dtype", dtype}});       \
  }
LEAP_REDUCTION(sum)
LEAP_REDUCTION(mean)
#undef LEAP_REDUCTION
Tensor prod() const { return leap::call("Tensor.prod", {*this}); }
Tensor amax(IntArrayRef d = {}, bool keepdim = false) const {
  return leap::call("Tensor.amax", {*this, d, keepdim});
}
Tensor amin(IntArrayRef d = {}, bool keepdim = false) const {
  return leap::call("Tensor.amin", {*this, d, keepdim});
}
Tensor max() const { return leap::call("Tensor.max", {*this}); }
Tensor min() const { return leap::call("Tensor.min", {*this}); }
std::tuple<Tensor, Tensor> max(int64_t d, bool keepdim = false) const;
std::tuple<Tensor, Tensor> min(int64_t d, bool keepdim = false) const;
std::tuple<Tensor, Tensor> sort(int64_t d = -1, bool descending = false) const;
std::tuple<Tensor, Tensor> topk(int64_t k, int64_t d = -1, bool largest = true) const;
Tensor argmax(std::optional<int64_t> d = std::nullopt, bool keepdim = false) const {
  return leap::call("Tensor.argmax", {*this, d, keepdim});
}
Tensor argmin(std::optional<int64_t> d = std::nullopt, bool keepdim = false) const {
  return leap::call("Tensor.argmin", {*this, d, keepdim});
}
// Torch's overloads; without the one of int, var(1) would be var(true).
#define LEAP_SPREAD(name)                                                              \
  Tensor name(int d) const { return leap::call("Tensor." #name, {*this, d}); }         \
  Tensor name(bool unbiased) const {                                                   \
    return leap::call("Tensor." #name, {*this, unbiased});                             \
  }                                                                                    \
  Tensor name(OptionalIntArrayRef d, bool unbiased, bool keepdim = false) const {      \
    return leap::call("Tensor." #name, {*this, d, unbiased, keepdim});                 \
  }                                                                                    \
  Tensor name(OptionalIntArrayRef d = std::nullopt,                                    \
              const std::optional<Scalar>& correction = std::nullopt,                  \
              bool keepdim = false) const {                                            \
    return leap::call("Tensor." #name, {*this, d},                                     \
                      {{"correction", correction}, {"keepdim", keepdim}});             \
  }
LEAP_SPREAD(var)
LEAP_SPREAD(std)
#undef LEAP_SPREAD
Tensor norm(const Scalar& p = 2) const { return leap::call("Tensor.norm", {*this, p}); }
Tensor cumsum(int64_t d) const { return leap::call("Tensor.cumsum", {*this, d}); }
Tensor softmax(int64_t d, ScalarTypeOpt dtype = std::nullopt) const {
  return leap::call("Tensor.softmax", {*this, d}, {{"dtype", dtype}});
}
Tensor log_softmax(int64_t d) const { return leap::call("Tensor.log_softmax", {*this, d}); }
Tensor all() const { return leap::call("Tensor.all", {*this}); }
Tensor any() const { return leap::call("Tensor.any", {*this}); }
Tensor all(int64_t d, bool keepdim = false) const {
  return leap::call("Tensor.all", {*this, d, keepdim});
}
Tensor any(int64_t d, bool keepdim = false) const {
  return leap::call("Tensor.any", {*this, d, keepdim});
}

// ---- Pointwise and linear algebra ----
#define LEAP_UNARY(name) \
  Tensor name() const { return leap::call("Tensor." #name, {*this}); }
LEAP_UNARY(abs)
LEAP_UNARY(neg)
LEAP_UNARY(exp)
LEAP_UNARY(log)
LEAP_UNARY(sqrt)
LEAP_UNARY(rsqrt)
LEAP_UNARY(reciprocal)
LEAP_UNARY(erf)
LEAP_UNARY(exp2)
LEAP_UNARY(log2)
LEAP_UNARY(log1p)
LEAP_UNARY(expm1)
LEAP_UNARY(sign)
LEAP_UNARY(trunc)
LEAP_UNARY(square)
LEAP_UNARY(relu)
LEAP_UNARY(sigmoid)
LEAP_UNARY(tanh)
LEAP_UNARY(sin)
LEAP_UNARY(cos)
LEAP_UNARY(floor)
LEAP_UNARY(ceil)
LEAP_UNARY(round)
LEAP_UNARY(isnan)
LEAP_UNARY(isinf)
LEAP_UNARY(isfinite)
LEAP_UNARY(logical_not)
#undef LEAP_UNARY
#define LEAP_BINARY(name)                                                                 \
  Tensor name(const Tensor& o) const { return leap::call("Tensor." #name, {*this, o}); }  \
  Tensor name(const Scalar& v) const { return leap::call("Tensor." #name, {*this, v}); }
LEAP_BINARY(add)
LEAP_BINARY(sub)
LEAP_BINARY(mul)
LEAP_BINARY(div)
LEAP_BINARY(pow)
LEAP_BINARY(eq)
LEAP_BINARY(ne)
LEAP_BINARY(lt)
LEAP_BINARY(le)
LEAP_BINARY(gt)
LEAP_BINARY(ge)
LEAP_BINARY(remainder)
LEAP_BINARY(bitwise_and)
LEAP_BINARY(bitwise_or)
#undef LEAP_BINARY
Tensor add(const Tensor& o, const Scalar& alpha) const {
  return leap::call("Tensor.add", {*this, o}, {{"alpha", alpha}});
}
Tensor sub(const Tensor& o, const Scalar& alpha) const {
  return leap::call("Tensor.sub", {*this, o}, {{"alpha", alpha}});
}
Tensor logical_and(const Tensor& o) const { return leap::call("Tensor.logical_and", {*this, o}); }
Tensor logical_or(const Tensor& o) const { return leap::call("Tensor.logical_or", {*this, o}); }
Tensor clamp(const std::optional<Scalar>& low,
             const std::optional<Scalar>& high = std::nullopt) const {
  return leap::call("Tensor.clamp", {*this, low, high});
}
Tensor clamp_min(const Scalar& v) const { return leap::call("Tensor.clamp_min", {*this, v}); }
Tensor clamp_max(const Scalar& v) const { return leap::call("Tensor.clamp_max", {*this, v}); }
Tensor masked_fill(const Tensor& mask, const Scalar& v) const {
  return leap::call("Tensor.masked_fill", {*this, mask, v});
}
Tensor matmul(const Tensor& o) const { return leap::call("Tensor.matmul", {*this, o}); }
Tensor mm(const Tensor& o) const { return leap::call("Tensor.mm", {*this, o}); }
Tensor bmm(const Tensor& o) const { return leap::call("Tensor.bmm", {*this, o}); }
Tensor addmm(const Tensor& a, const Tensor& b, const Scalar& beta = 1,
             const Scalar& alpha = 1) const {
  return leap::call("Tensor.addmm", {*this, a, b}, {{"beta", beta}, {"alpha", alpha}});
}
Tensor baddbmm(const Tensor& a, const Tensor& b, const Scalar& beta = 1,
               const Scalar& alpha = 1) const {
  return leap::call("Tensor.baddbmm", {*this, a, b}, {{"beta", beta}, {"alpha", alpha}});
}
Tensor mv(const Tensor& o) const { return leap::call("Tensor.mv", {*this, o}); }
Tensor outer(const Tensor& o) const { return leap::call("Tensor.outer", {*this, o}); }
bool equal(const Tensor& o) const { return leap::call_bool("equal", {*this, o}); }
bool allclose(const Tensor& o, double rtol = 1e-5, double atol = 1e-8) const {
  return leap::call_bool("allclose", {*this, o, rtol, atol});
}
Tensor dot(const Tensor& o) const { return leap::call("Tensor.dot", {*this, o}); }
Tensor operator-() const { return neg(); }
Tensor new_empty(IntArrayRef size) const;
Tensor new_empty(IntArrayRef size, const TensorOptions& o) const;
Tensor new_zeros(IntArrayRef size) const;
Tensor new_zeros(IntArrayRef size, const TensorOptions& o) const;
Tensor new_ones(IntArrayRef size) const;
Tensor new_full(IntArrayRef size, const Scalar& value) const;

private:
Tensor& run_(const char* name, leap::Arguments arguments, leap::Keywords keywords = {}) {
  leap::call_inplace(name, arguments, keywords);
  return *this;
}

public:
