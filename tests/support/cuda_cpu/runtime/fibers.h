// Threads as fibers: who runs, in which order, and what it means that nobody can.
#pragma once

#include <sys/mman.h>

#include "bulk_copies.h"

namespace {

extern "C" void begin_fiber() {
  launch->enter(launch->words);
  if (!self->products.empty())
    fault("%s leaves the kernel while its wgmma at @L%d@ is in flight: a wait is missing", who(self->index).text,
          self->products.back().line);
  for (const BulkStore& s : ours->bulk_stores)
    if (s.owner == self->index)
      fault("%s leaves the kernel while its bulk store at @L%d@ still reads its tile: a wait is missing",
            who(self->index).text, s.line);
  self->state = LEFT;
  _longjmp(scheduler, 1);
}

void wait_for_others() {
  if (_setjmp(self->at) == 0) _longjmp(scheduler, 1);
}

void resume(Fiber& f) {
  self = &f;
  threadIdx = f.thread;
  blockIdx = cluster[f.rank].current_block;
  if (_setjmp(scheduler) == 0) {
    if (f.begun) _longjmp(f.at, 1);
    f.begun = true;
    setcontext(&f.fresh);
  }
}

[[noreturn]] void nobody_can_run() {
  const Fiber *waits_here = nullptr, *and_there = nullptr;
  for (const Fiber& f : ours->fibers)
    if (f.state == AT_PHASE && !waits_here)
      waits_here = &f;
    else if (f.state == AT_PHASE && f.phases != waits_here->phases)
      and_there = &f;
  auto lacks = [](const Fiber& f) {
    Text t;
    snprintf(t.text, sizeof t.text, "%d of %d arrivals and %lld bytes", f.phases->pending, f.phases->count,
             (long long)f.phases->bytes);
    return t;
  };
  if (waits_here && and_there)
    fault("%s waits for ever at @L%d@ for an mbarrier whose phase lacks %s, and %s at @L%d@ for one that lacks %s",
          who(waits_here->index).text, waits_here->line, lacks(*waits_here).text, who(and_there->index).text,
          and_there->line, lacks(*and_there).text);
  if (waits_here)
    fault("%s waits for ever at @L%d@ for an mbarrier whose phase lacks %s", who(waits_here->index).text,
          waits_here->line, lacks(*waits_here).text);
  const Fiber *waits = nullptr, *other = nullptr;
  for (const Fiber& f : ours->fibers)
    if (f.state != LEFT && (!waits || f.state == AT_WARP)) waits = &f;
  for (const Fiber& f : ours->fibers)
    if (&f != waits && (f.state == LEFT || f.what != waits->what || f.line != waits->line)) other = &f;
  if (!other) fault("%s waits for ever in %s at @L%d@", who(waits->index).text, waits->what, waits->line);
  if (other->state == LEFT)
    fault("diverged: %s waits in %s at @L%d@, and %s has left the kernel", who(waits->index).text, waits->what,
          waits->line, who(other->index).text);
  fault("diverged: %s waits in %s at @L%d@, and %s in %s at @L%d@", who(waits->index).text, waits->what, waits->line,
        who(other->index).text, other->what, other->line);
}

void forget_copies(Fiber& f) {
  bool inside;
  for (const Copy& c : f.copies) {
    Place in = place((uintptr_t)c.to, inside);
    for (int i = 0; i < c.bytes; ++i) in.traces[(uintptr_t)c.to - in.start + (uintptr_t)i].in_flight = false;
  }
  f.copies.clear();
  f.groups.clear();
  f.products.clear();
  f.product_groups.clear();
  f.fenced = false;
  f.stores_committed = 0;
  f.knows.clear();
}

// Has the shared memory of a block where its threads look for it.
void enter(Block& block) {
  ours = &block;
  if (resident == ours) return;
  char* fixed = &__start_at_shared;
  size_t first = static_bytes();
  if (resident) {
    if (first) memcpy(resident->memory.data(), fixed, first);
    memcpy(resident->memory.data() + first, dynamic, launch->shared);
  }
  if (first) memcpy(fixed, block.memory.data(), first);
  memcpy(dynamic, block.memory.data() + first, launch->shared);
  resident = ours;
}

// Where a byte of a block's shared memory is now.
char* held(Block& block, void* p) {
  if (resident == &block) return (char*)p;
  uintptr_t at = (uintptr_t)p, fixed = static_shared();
  size_t first = static_bytes();
  return block.memory.data() + (within(at, fixed, first) ? at - fixed : first + (at - (uintptr_t)dynamic));
}

void begin_block(uint64_t linear) {
  ours->current_block = {(unsigned)(linear % launch->grid[0]), (unsigned)(linear / launch->grid[0] % launch->grid[1]),
                         (unsigned)(linear / launch->grid[0] / launch->grid[1])};
  ours->block_number = (uint32_t)linear + 1;
  ours->met.clear();
  ours->memory.assign(static_bytes() + launch->shared, (char)0xff);  // ones are NaN in every float, -1 as an index
  ours->epoch = ours->together_since = ours->began = ++epochs;
  ours->arrived = 0, ours->reached_from = 0;
  ours->mbarriers.clear();
  ours->bulk_copies.clear();
  ours->bulk_stores.clear();
  for (GroupBarrier& b : ours->group_barriers) b = GroupBarrier{};
  ours->meetings.assign(ours->warp_sync.size() * LANES, Meeting{});
  for (Fiber& f : ours->fibers) {
    forget_copies(f);
    f.state = READY, f.begun = f.waited = f.at_cluster = false;
    f.cluster_arrivals = f.cluster_waits = 0;
    getcontext(&f.fresh);
    f.fresh.uc_stack.ss_sp = f.stack;
    f.fresh.uc_stack.ss_size = STACK;
    f.fresh.uc_link = nullptr;
    makecontext(&f.fresh, begin_fiber, 0);
  }
}

bool has_ended(const Block& block) {
  return std::all_of(block.fibers.begin(), block.fibers.end(), [](const Fiber& f) { return f.state == LEFT; });
}

bool waits_for_a_phase(const Block& block) {
  return std::any_of(block.fibers.begin(), block.fibers.end(), [](const Fiber& f) { return f.state == AT_PHASE; });
}

// A block alone, or those of a cluster, of which this is the first.
void run_together(uint64_t linear) {
  since_barrier = in_barrier = cluster_rounds = 0, handing_over = false, resident = nullptr;
  for (Block& b : cluster) ours = &b, begin_block(linear + b.rank);
  order.resize(threads);
  for (unsigned i = 0; i < threads; ++i) order[i] = launch->order == 1 ? threads - 1 - i : i;
  for (bool moved = true; moved;) {
    moved = false;
    for (Block& b : cluster) {
      enter(launch->order == 1 ? cluster[cluster.size() - 1 - b.rank] : b);
      if (launch->order == 2)
        for (unsigned i = threads; i > 1; --i) std::swap(order[i - 1], order[next_random() % i]);
      for (unsigned i : order)
        if (ours->fibers[i].state == READY) moved = true, resume(ours->fibers[i]);
    }
    bool threads_moved = moved;
    for (Block& b : cluster)
      if (!has_ended(b)) ours = &b, moved |= some_land(threads_moved);
  }
  for (Block& b : cluster)  // who waits for a phase says more than who waits for all
    if (!has_ended(b)) ours = has_ended(*ours) || waits_for_a_phase(b) ? &b : ours;
  if (!has_ended(*ours)) nobody_can_run();
  for (Block& b : cluster) {
    ours = &b;
    if (!b.bulk_copies.empty())
      fault("the block ends while its bulk copy at @L%d@ is in flight: a wait is missing", b.bulk_copies[0].line);
    if (b.reached_from)
      fault("a block ends though another one may still reach its shared memory at @L%d@: a barrier of the cluster is "
            "missing", b.reached_from);
  }
  if (launch->profile) close_requests();
}

// Of which only what is written to takes memory, until the launch ends.
void* map_zeros(size_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) fault("no memory for %s", what);
  mapped.emplace_back(at, bytes);
  return at;
}

void prepare() {
  threads = launch->block[0] * launch->block[1] * launch->block[2];
  if (threads > 1024 || launch->shared > SHARED) fault("%u threads and %llu bytes of dynamic shared memory: too many",
                                                       threads, (unsigned long long)launch->shared);
  if (launch->cluster == 0 || launch->grid[0] % launch->cluster)
    fault("a grid of %u blocks along x is no clusters of %llu", launch->grid[0], (unsigned long long)launch->cluster);
  stacks = (char*)map_zeros(threads * STACK * launch->cluster, "the threads' stacks");
  unsigned bx = launch->block[0], by = launch->block[1];
  cluster.assign(launch->cluster, Block{});
  for (Block& b : cluster) {
    b.rank = (unsigned)(&b - cluster.data());
    b.fibers.assign(threads, Fiber{});
    for (unsigned i = 0; i < threads; ++i) {
      Fiber& f = b.fibers[i];
      f.index = (int)i, f.lane = (int)i % LANES, f.warp = (int)i / LANES, f.rank = b.rank;
      f.stack = stacks + (b.rank * threads + i) * STACK;
      f.thread = {i % bx, i / bx % by, i / bx / by};
    }
    b.warp_sync.assign((threads + LANES - 1) / LANES, 0);
    b.shared_traces = (Trace*)map_zeros((static_bytes() + launch->shared) * sizeof(Trace), "traces of shared memory");
  }
  gathered.clear();
  read_by.assign(1, {});  // 0 is none
  tensor_traces.assign(launch->region_count, nullptr);
  for (uint64_t i = 0; i < launch->region_count; ++i) {
    const Region& r = launch->regions[i];
    if (!r.writable || r.bytes == 0) continue;
    tensor_traces[i] = (Trace*)map_zeros(r.bytes * sizeof(Trace), r.name);
  }
  blockDim = {launch->block[0], launch->block[1], launch->block[2]};
  gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]};
  dice = launch->seed * 0x9e3779b97f4a7c15ull + 1;
  for (int i = 0; i < 8; ++i) next_random();
}

// Hundreds of libraries are loaded at a time: each that kept what its launches took would hold megabytes.
void release() {
  for (auto& [at, bytes] : mapped) munmap(at, bytes);
  mapped.clear();
  tensor_traces.clear();
  gathered.clear();
  std::vector<Block>().swap(cluster);
  std::vector<std::vector<Reader>>().swap(read_by);
}

void run_all() {
  blocks.assign(launch->blocks, launch->blocks + launch->block_count);
  if (!launch->blocks) {
    blocks.resize((uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
    blocks.resize(blocks.size() / launch->cluster);
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = i * launch->cluster;
  }
  if (launch->order == 1) std::reverse(blocks.begin(), blocks.end());
  if (launch->order == 2)
    for (size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[next_random() % i]);
  for (uint64_t b : blocks) run_together(b);
}

}  // namespace
