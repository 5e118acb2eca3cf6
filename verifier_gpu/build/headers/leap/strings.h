// What needs <string>, on demand.
//
// <string> and <stdexcept> alone cost a third of a small build. The builder
// defines LEAP_WITH_STRINGS where a text shows that it uses them.
#pragma once

#ifdef LEAP_WITH_STRINGS

#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leap {
class Argument;
// "cuda:0", "cpu"; without the index where it is -1.
std::string device_text(int type, int index, bool lower_case);
// The pieces, one after the other, as std::ostream would write them.
std::string text(std::initializer_list<Argument> pieces);
}  // namespace leap

#endif
