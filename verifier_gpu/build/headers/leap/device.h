// c10::Device, Layout and MemoryFormat, with torch's numbering.
#pragma once

#include <stdint.h>

#include "strings.h"

namespace leap {
// Throws torch's error for a text that names no device.
void parse_device(const char* text, int8_t* type, int8_t* index);
}  // namespace leap

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 14 };
constexpr auto kCPU = DeviceType::CPU;
constexpr auto kCUDA = DeviceType::CUDA;
constexpr auto kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;

class Device {
 public:
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const char* text) : Device(DeviceType::CPU) {
    int8_t type = 0;
    leap::parse_device(text, &type, &index_);
    type_ = static_cast<DeviceType>(type);
  }

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ != -1; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool operator==(const Device& o) const {
    return type_ == o.type_ && index_ == o.index_;
  }
  constexpr bool operator!=(const Device& o) const { return !(*this == o); }
#ifdef LEAP_WITH_STRINGS
  Device(const std::string& text) : Device(text.c_str()) {}
  std::string str() const { return leap::device_text(static_cast<int>(type_), index_, true); }
#endif

 private:
  DeviceType type_;
  DeviceIndex index_;
};

#ifdef LEAP_WITH_STRINGS
inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  return leap::device_text(static_cast<int>(type), -1, lower_case);
}
#endif

enum class Layout : int8_t { Strided = 0 };
constexpr auto kStrided = Layout::Strided;

enum class MemoryFormat : int8_t { Contiguous = 0, Preserve, ChannelsLast, ChannelsLast3d };

}  // namespace c10
