// c10::Device, Layout and MemoryFormat, with torch's numbering.
#pragma once

#include <stdint.h>

#include <string>

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 14 };
constexpr auto kCPU = DeviceType::CPU;
constexpr auto kCUDA = DeviceType::CUDA;
constexpr auto kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;

inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  switch (type) {
    case DeviceType::CUDA: return lower_case ? "cuda" : "CUDA";
    case DeviceType::Meta: return lower_case ? "meta" : "META";
    default: return lower_case ? "cpu" : "CPU";
  }
}

class Device {
 public:
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const std::string& text);
  Device(const char* text) : Device(std::string(text)) {}

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ != -1; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool operator==(const Device& o) const {
    return type_ == o.type_ && index_ == o.index_;
  }
  constexpr bool operator!=(const Device& o) const { return !(*this == o); }
  std::string str() const {
    std::string text = DeviceTypeName(type_, true);
    if (has_index()) text += ":" + std::to_string(static_cast<int>(index_));
    return text;
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

enum class Layout : int8_t { Strided = 0 };
constexpr auto kStrided = Layout::Strided;

enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };

}  // namespace c10
