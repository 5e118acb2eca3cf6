#include "modules.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

#include "../include/leap_emulator.h"

namespace leap {
namespace {

struct Segment {
  uintptr_t start, end;
  size_t variables;  // where its first byte stands among all variables, or kNotAVariable
};
constexpr int kMost = 256;
Segment segments[kMost];
int count = 0;
size_t variable_bytes = 0;

// A submission's library is one that has our symbol among its needed
// libraries; finding that out needs its dynamic section.
bool needs_us(const dl_phdr_info* info) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const char* strings = nullptr;
    for (auto* d = entry; d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
    }
    if (!strings || reinterpret_cast<uintptr_t>(strings) < 65536) return false;
    if (reinterpret_cast<uintptr_t>(strings) < info->dlpi_addr) strings += info->dlpi_addr;
    for (auto* d = entry; d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_NEEDED && strstr(strings + d->d_un.d_val, "libleap_emulator")) return true;
    }
  }
  return false;
}

int collect(dl_phdr_info* info, size_t, void*) {
  bool ourselves = info->dlpi_name && strstr(info->dlpi_name, "libleap_emulator");
  if (!ourselves && !needs_us(info)) return 0;
  for (int i = 0; i < info->dlpi_phnum && count < kMost; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + header.p_vaddr;
    const bool writable = !ourselves && header.p_flags & PF_W;
    segments[count++] = {start, start + header.p_memsz, writable ? variable_bytes : kNotAVariable};
    if (writable) variable_bytes += (header.p_memsz + 4095) / 4096 * 4096;
  }
  return 0;
}

}  // namespace

void refresh_modules() {
  count = 0;
  variable_bytes = 0;
  dl_iterate_phdr(collect, nullptr);
}

size_t module_variable(const void* p) {
  auto address = reinterpret_cast<uintptr_t>(p);
  for (int i = 0; i < count; ++i) {
    if (address < segments[i].start || address >= segments[i].end) continue;
    if (segments[i].variables == kNotAVariable) return kNotAVariable;
    const size_t place = segments[i].variables + (address - segments[i].start);
    return place < kMostModuleData ? place : kNotAVariable;
  }
  return kNotAVariable;
}

bool in_module_data(const void* p, size_t n) {
  auto address = reinterpret_cast<uintptr_t>(p);
  for (int i = 0; i < count; ++i) {
    if (address >= segments[i].start && address + n <= segments[i].end) return true;
  }
  return false;
}

}  // namespace leap
