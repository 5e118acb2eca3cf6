"""Which headers of the standard library a text needs.

Torch's own headers bring most of it in, and submissions rely on that. Ours do
not, because parsing it is most of the cost of a small build; so a header is
included where the text shows by a name that it needs it.
"""

from __future__ import annotations

import re

# Cheap: always in the precompiled prelude.
_LIGHT = {
    "algorithm": r"std::(sort|stable_sort|min|max|min_element|max_element|fill|fill_n|copy|swap|"
    r"reverse|find|find_if|any_of|all_of|none_of|transform|clamp|count|count_if)\b",
    "array": r"std::array\b",
    "cassert": r"\bassert\s*\(",
    "cfloat": r"\b(FLT|DBL|LDBL)_\w+",
    "climits": r"\b(INT|LONG|UINT|CHAR|SHRT|LLONG|ULLONG|ULONG)_(MAX|MIN)\b",
    "cmath": r"\b(sqrt|exp|log|pow|tanh|ceil|floor|fabs|erf|fmax|fmin|isnan|isinf|abs)\w*\s*\("
    r"|\b(INFINITY|NAN|M_\w+)\b",
    "cstdio": r"\b(printf|fprintf|snprintf)\s*\(",
    "cstdlib": r"\b(malloc|free|getenv|abort|exit|rand)\s*\(",
    "cstring": r"\b(memcpy|memset|strcmp|strlen|memcmp)\s*\(",
    "limits": r"std::numeric_limits\b",
    "numeric": r"std::(accumulate|iota|inner_product|gcd|lcm|partial_sum)\b",
    "type_traits": r"std::(is_|enable_if|conditional|decay|remove_)\w*",
}
# Dear: each brings <string>, or costs as much.
_HEAVY = {
    "chrono": r"std::chrono\b",
    "functional": r"std::(function|bind|hash|plus|multiplies|less|greater)\b",
    "iomanip": r"std::(setw|setprecision|fixed)\b",
    "iostream": r"std::(cout|cerr|endl|clog)\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::(unique_ptr|shared_ptr|make_unique|make_shared|weak_ptr)\b",
    "mutex": r"std::(mutex|lock_guard|unique_lock|once_flag|call_once)\b",
    "random": r"std::(mt19937|normal_distribution|uniform_\w+|random_device)\b",
    "set": r"std::(multi)?set\b",
    "sstream": r"std::[io]?stringstream\b",
    "stdexcept": r"std::(runtime_error|invalid_argument|logic_error|out_of_range|domain_error"
    r"|length_error|overflow_error)\b",
    "string": r"\bstring(_view)?\b|\bto_string\b|\bstr\s*\(|\bmsg\s*\(|\bDeviceTypeName\b",
    "thread": r"std::(thread|this_thread)\b",
    "unordered_map": r"std::unordered_map\b",
    "unordered_set": r"std::unordered_set\b",
}
_SPECIAL = re.compile(
    r"\b(assoc_laguerre|assoc_legendre|beta|comp_ellint_[123]|cyl_bessel_[ijk]|cyl_neumann"
    r"|ellint_[123]|expint|hermite|laguerre|legendre|riemann_zeta|sph_(bessel|legendre|neumann))"
    r"[fl]?\s*\("
)
_INCLUDED = re.compile(r"#[ \t]*include[ \t]*<(\w+)>")
LIGHT = tuple(_LIGHT)
HEAVY = tuple(_HEAVY)


def light_headers(text: str) -> list[str]:
    """The cheap headers that the text needs."""
    return [name for name, pattern in _LIGHT.items() if re.search(pattern, text)]


def heavy_headers(text: str) -> list[str]:
    """The dear headers that the text needs or includes; not empty: it uses strings."""
    included = set(_INCLUDED.findall(text))
    return [n for n, pattern in _HEAVY.items() if n in included or re.search(pattern, text)]


def special_functions(text: str) -> bool:
    """Whether the text calls the mathematical special functions of <cmath>."""
    return _SPECIAL.search(text) is not None
