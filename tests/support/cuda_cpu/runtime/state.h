// What the runtime knows: the launch, its fibers, and what each byte of memory has seen. One launch at a time.
#pragma once

#include <setjmp.h>
#include <stdint.h>
#include <ucontext.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

constexpr size_t SHARED = 232448;

struct Three {
  unsigned x, y, z;
};

extern "C" {
// What kernels see; they may take them for constants, since a fiber never sees them change.
Three threadIdx, blockIdx, blockDim, gridDim;
alignas(1024) char at_dynamic_shared[SHARED];  // the linker gives it the name that a kernel calls its own
// From the linker: where this library begins, and the section of static shared memory.
extern char __ehdr_start __attribute__((visibility("hidden")));
extern char __start_at_shared __attribute__((visibility("hidden"), weak));
extern char __stop_at_shared __attribute__((visibility("hidden"), weak));
}

namespace {

char* const dynamic = at_dynamic_shared;

enum How { READ = 1, WRITE = 2, ATOMIC = 4, CONSTANT = 8, ASYNC = 16, ARRIVES = 32 };
enum State { READY, AT_BARRIER, AT_WARP, AT_PHASE, LEFT };
constexpr size_t STACK = 256 << 10;
constexpr int LANES = 32;
constexpr unsigned MBARRIERS = 64;
constexpr uint64_t TENSOR_MAP = 0x70616d20726f736e;
constexpr int RANK = 5;  // dimensions of a tensor map, of which those that it lacks come first and are 1
constexpr int PIECE = 16, BOX_ROW = 128;  // bytes: what is swizzled, and a row of what is copied in bulk
constexpr uint64_t PATIENCE = 20'000'000;  // accesses of a block without any barrier; then it is said to hang

// The last write and the last reads of a byte, in the barrier interval `epoch` and, within it, the warp's interval.
// Blocks count from 1.
struct Trace {
  uint32_t write_block, read_block;
  uint32_t write_epoch, read_epoch;
  uint32_t write_site, read_site;
  uint16_t write_sync, read_sync;
  uint16_t writer, reader;
  bool in_flight, atomic, many_lanes, many_warps;
  bool foreign;        // the last write was another block's, after it had come to so many barriers of the cluster
  uint16_t write_rank, arrivals;
  uint32_t readers;  // where mbarriers order accesses, and of what reads on its own: which of `read_by` has its readers
  uint64_t moment;   // of the last write
};

struct Reader {
  uint16_t index, sync;
  uint32_t epoch, site;
  uint64_t moment;
};

struct Region {  // what the caller says of a tensor, and the traces that go with it
  const char* name;
  uintptr_t start;
  uint64_t bytes;
  uint64_t writable;
};

struct Launch {
  void (*enter)(const unsigned long long*);
  const unsigned long long* words;
  unsigned grid[3], block[3];
  uint64_t shared;
  const Region* regions;
  uint64_t region_count;
  uint64_t order;  // 0 forward, 1 reverse, 2 at random
  uint64_t seed;
  const uint64_t* blocks;  // linear indices of those to run, or null for all
  uint64_t block_count;
  uint64_t profile;
  uint64_t cluster;  // neighbouring blocks that run together
  uint64_t early;    // whether it begins while what was launched before it may still run
  uint64_t watched;  // whether it is written down what of memory each block asks for ahead, and what it reads
  char* message;
  uint64_t room;
};

struct Copy {  // a cp.async that has not arrived
  char* to;
  const char* from;
  int bytes;
  bool valid;
};

struct GroupProduct {  // a wgmma whose sums are not there yet
  float* c;
  std::vector<float> before;
  const char *a, *b;
  int bf16, turned, line;
};

struct Fiber {
  State state;
  int index, lane, warp;
  unsigned rank;  // of its block
  Three thread;
  bool begun;
  bool waited;  // for what was launched before the kernel
  bool at_cluster;  // whether it waits for the barrier of the cluster
  unsigned cluster_arrivals, cluster_waits;  // at such barriers
  jmp_buf at;
  ucontext_t fresh;
  char* stack;
  // What it waits for.
  const char* what;
  int kind, value, line;
  unsigned mask;
  void* operand;
  const struct Phases* phases;
  // Copies in order of issue; a commit puts the group's end into `groups`.
  std::vector<Copy> copies;
  std::vector<size_t> groups;
  // Products of a warp group likewise; `fenced` says that registers may be given to them.
  std::vector<GroupProduct> products;
  std::vector<size_t> product_groups;
  bool fenced;
  size_t stores_committed;  // groups of bulk stores
  uint64_t seen_by_async;  // what the fiber wrote up to this moment the asynchronous proxy sees
  // Up to which moment it comes after what each thread of the cluster did, and each mbarrier's bulk copies, as
  // mbarriers order: see `knowledge_of`.
  std::vector<uint64_t> knows;
};

struct Phases {  // an mbarrier
  int number, count, pending;
  int64_t bytes;      // announced for the phase that runs, and not landed
  unsigned parity;    // of the phase that runs
  int maker;
  bool fenced;        // its beginning is seen by the asynchronous proxy
  std::vector<uint64_t> known;  // by whoever waits for it: what comes before an arrival or a landing
};

struct GroupBarrier {  // a barrier of some threads of a block
  std::vector<struct Fiber*> came;
  int count, line, result;
  std::vector<uint64_t> known;
};

struct TensorMap {  // what the simulated driver encodes; nothing of a real one is like it
  uint64_t magic, address, item, rank, sizes[RANK];
  uint32_t box[RANK], steps[RANK];
  uint64_t rest[2];

  size_t bytes() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3] * sizes[4] * item; }
  size_t box_rows() const { return (size_t)box[0] * box[1] * box[2] * box[3]; }
};

struct Corner {  // where a box begins, from the outermost dimension on
  int at[RANK];
};

struct BulkCopy {  // one that has not landed
  char* to;
  TensorMap map;
  Corner corner;
  int line;
  Phases* phases;
};

struct BulkStore {  // one that still reads its tile
  const char* from;
  TensorMap map;
  Corner corner;
  int line, owner;
  size_t group;  // of those that its thread commits
};

struct Meeting {  // of lanes of a warp; those whose lowest lane is the same meet in the same place
  unsigned came;
  const Fiber* first;
};

struct Block {  // what a block is made of, and what it has seen
  unsigned rank;  // in its cluster
  Three current_block;
  uint32_t block_number;
  std::vector<Fiber> fibers;
  std::vector<uint16_t> warp_sync;
  std::vector<Meeting> meetings;
  uint32_t epoch, together_since, began;  // together: as the blocks of the cluster last met
  unsigned arrived;  // at the barrier that it now comes to
  int barrier_result;
  Fiber* came_first;
  std::set<uint32_t> met;                 // the blocks that this one comes after
  std::map<uintptr_t, Phases> mbarriers;  // by address
  std::vector<BulkCopy> bulk_copies;
  std::vector<BulkStore> bulk_stores;
  GroupBarrier group_barriers[16];
  Trace* shared_traces;              // static shared memory, then dynamic
  std::vector<char> memory;          // what that holds while another block's is there
  int reached_from;  // the line where another block arrived here, and no barrier of the cluster came since; or 0
};

struct Met {  // so many bytes of memory, asked for ahead by a thread or read by it
  uint64_t block, thread, at, bytes, asked;
};

const Launch* launch;
std::vector<Met> met_bytes;
Fiber* self;
jmp_buf scheduler, out;
char* stacks;
Block *ours, *resident;  // whose thread runs or whose memory is looked at, and whose shared memory is where it says
std::vector<Block> cluster;  // the blocks that run together
unsigned in_barrier;         // threads of all of them
unsigned cluster_rounds;     // barriers of the cluster that all have come to
bool handing_over;           // whether one of those who came hands something over
Fiber* came_first_of_all;
int first_line;              // where that one did
uint32_t epochs;
uint64_t since_barrier, dice, moment;
unsigned threads;
std::map<uintptr_t, std::set<uint32_t>> gathered;  // by meeting point: who has been there, and whom they come after
std::vector<std::vector<Reader>> read_by;
std::vector<Trace*> tensor_traces;
std::vector<std::pair<void*, size_t>> mapped;  // by a launch, of whose memory nothing is kept
std::vector<unsigned> order;   // of threads; no local, since a fault jumps over destructors
std::vector<uint64_t> blocks;  // in the order they run

uint64_t next_random() {  // xorshift
  dice ^= dice << 13;
  dice ^= dice >> 7;
  dice ^= dice << 17;
  return dice;
}

}  // namespace
