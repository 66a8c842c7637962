// What accesses cost on a GPU: passes through the banks of shared memory, sectors of global memory.
// 
// The n-th accesses of a warp's lanes at one site since the last barrier count as one request.
#pragma once

#include <algorithm>
#include <map>

#include "state.h"

namespace {

struct Request {
  bool shared, writes;
  int bytes;
  unsigned lanes;
  uintptr_t at[LANES];
};
struct Tally {
  uint64_t site;
  uint64_t shared, writes, bytes;  // bytes: of one access
  uint64_t requests, lanes, cost, ideal;
};
std::map<std::pair<uint64_t, uint64_t>, Request> open_requests;  // (site and bytes, warp and turn)
std::map<std::pair<uint64_t, int>, uint32_t> turns;              // (site and bytes, thread)
std::map<uint64_t, Tally> tallies;

// Whether each of these lanes wants what its neighbour at distance 1 wants, or each what that at distance 2 does.
bool paired(const Request& r, int first, int count) {
  for (int apart = 1; apart <= 2; ++apart) {
    bool all = true;
    for (int lane = first; lane < first + count; ++lane)
      if (r.lanes >> lane & 1 && r.lanes >> (lane ^ apart) & 1) all &= r.at[lane] == r.at[lane ^ apart];
    if (all) return true;
  }
  return false;
}

// Shared memory: passes through 32 banks of 4 bytes. Lanes that want 16 bytes go eight at a time and those that want 8
// bytes sixteen, or twice as many where they are paired.
uint64_t passes(const Request& r) {
  int together = r.bytes <= 4 ? 32 : r.bytes <= 8 ? 16 : 8, step = together;
  uint64_t sum = 0;
  for (int first = 0; first < LANES; first += step) {
    step = together < 32 && first % (2 * together) == 0 && paired(r, first, 2 * together) ? 2 * together : together;
    std::map<unsigned, std::vector<uintptr_t>> banks;
    size_t most = 0;
    for (int lane = first; lane < first + step; ++lane) {
      if (!(r.lanes >> lane & 1)) continue;
      for (uintptr_t word = r.at[lane] / 4; word <= (r.at[lane] + (uintptr_t)r.bytes - 1) / 4; ++word) {
        auto& words = banks[word % 32];
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
        most = std::max(most, words.size());
      }
    }
    sum += most;
  }
  return sum;
}

// Global memory: sectors of 32 bytes.
uint64_t sectors(const Request& r) {
  std::vector<uintptr_t> found;
  for (int lane = 0; lane < LANES; ++lane)
    if (r.lanes >> lane & 1)
      for (uintptr_t s = r.at[lane] / 32; s <= (r.at[lane] + (uintptr_t)r.bytes - 1) / 32; ++s) found.push_back(s);
  std::sort(found.begin(), found.end());
  return (uint64_t)(std::unique(found.begin(), found.end()) - found.begin());
}

uint64_t distinct_bytes(const Request& r) {
  std::vector<uintptr_t> found;
  for (int lane = 0; lane < LANES; ++lane)
    if (r.lanes >> lane & 1) found.push_back(r.at[lane]);
  std::sort(found.begin(), found.end());
  return (uint64_t)(std::unique(found.begin(), found.end()) - found.begin()) * (uint64_t)r.bytes;
}

void close_requests() {
  for (auto& [key, r] : open_requests) {
    Tally& t = tallies[key.first];
    t.site = key.first >> 8, t.shared = r.shared, t.writes = r.writes, t.bytes = (uint64_t)r.bytes;
    uint64_t unit = r.shared ? 128 : 32, bytes = distinct_bytes(r);
    t.requests += 1, t.lanes += (uint64_t)__builtin_popcount(r.lanes);
    t.cost += r.shared ? passes(r) : sectors(r);
    t.ideal += (bytes + unit - 1) / unit;
  }
  open_requests.clear();
  turns.clear();
}

void note(bool shared, uintptr_t p, size_t bytes, int how, uint32_t site) {
  uint64_t key = (uint64_t)site << 8 | (bytes & 127) << 1 | (how & WRITE ? 1 : 0);
  uint64_t turn = turns[{key, self->index}]++;
  Request& r = open_requests[{key, (uint64_t)self->warp << 40 | turn}];
  r.shared = shared, r.writes = how & WRITE, r.bytes = (int)bytes;
  r.lanes |= 1u << self->lane;
  r.at[self->lane] = p;
}

}  // namespace
