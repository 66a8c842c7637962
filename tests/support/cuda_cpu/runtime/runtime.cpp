// Runs blocks of fibers and looks at every access: the part of the harness that is compiled once and not per kernel.
//
// A block is a set of fibers that one OS thread runs in turn. A fiber runs until it waits, for its block or its warp,
// and in which order they go on is the caller's to choose.
//
// Invariant: no kernel access reaches memory that was not looked at first, so a faulty kernel cannot harm the process.
#include "floats.h"
#include "sanitizers.h"
#include "warp_groups.h"

#define AT_PUBLIC __attribute__((visibility("default")))

extern "C" {

// 0 when all went well; otherwise the message says in one line what did not.
AT_PUBLIC int at_cpu_launch(const Launch* given) {
  launch = given;
  self = nullptr;
  launch->message[0] = 0;
  int bad = _setjmp(out);
  if (!bad) {
    prepare();
    run_all();
  }
  self = nullptr;
  release();
  open_requests.clear();
  turns.clear();
  return bad;
}

// The sites of all launches since the last call that were profiled: up to `room`, and how many there are.
AT_PUBLIC uint64_t at_cpu_tallies(Tally* found, uint64_t room) {
  uint64_t count = 0;
  for (auto& [key, t] : tallies)
    if (count < room) found[count++] = t;
  tallies.clear();
  return count;
}

int at_cpu_barrier(int kind, int value, int line) {
  static const char* const NAMES[] = {"__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count"};
  self->what = NAMES[kind], self->kind = kind, self->value = value, self->line = line, self->state = AT_BARRIER;
  if (ours->arrived == 0) ours->barrier_result = kind == 2, ours->came_first = self;
  if (ours->came_first->line != line || ours->came_first->kind != kind)
    fault("diverged barrier: %s waits in %s at @L%d@, and %s in %s at @L%d@", who(self->index).text, self->what, line,
          who(ours->came_first->index).text, ours->came_first->what, ours->came_first->line);
  bool test = value != 0;
  ours->barrier_result = kind == 1 ? ours->barrier_result | test : kind == 2 ? ours->barrier_result & test : ours->barrier_result + test;
  if (++ours->arrived < threads) {
    wait_for_others();
    return self->value;
  }
  if (launch->profile) close_requests();
  ours->epoch = ++epochs;
  since_barrier = 0;
  ours->arrived = 0;
  for (Fiber& f : ours->fibers) f.state = READY, f.value = ours->barrier_result;
  return ours->barrier_result;
}

// What blocks asked for and read since the last call: up to `room`, and how many there are.
AT_PUBLIC uint64_t at_cpu_met(Met* found, uint64_t room) {
  uint64_t count = met_bytes.size();
  for (uint64_t i = 0; i < count && i < room; ++i) found[i] = met_bytes[i];
  if (room >= count) met_bytes.clear();
  return count;
}

void at_cpu_begin() { self->waited = true; }

void at_cpu_prefetch(const void* p, int line) { ask_for((uintptr_t)p, 1, line); }

void at_cpu_meet(const void* counter) {
  std::set<uint32_t>& there = gathered[(uintptr_t)counter];
  ours->met.insert(there.begin(), there.end());
  there.insert(ours->met.begin(), ours->met.end());
  there.insert(ours->block_number);
}

void at_cpu_syncwarp(unsigned mask, int line) {
  if (!meet("__syncwarp", mask, nullptr, line)) return wait_for_others();
  if (self->mask == members(self->warp)) ++ours->warp_sync[(size_t)self->warp];
  release_warp();
}

void at_cpu_shuffle(void* value, int bytes, int kind, unsigned mask, int other, int width, int line) {
  static const char* const NAMES[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};
  Shuffled s = {value, bytes, kind, other, width};
  if (!meet(NAMES[kind], mask, &s, line)) return wait_for_others();
  shuffle_all();
  release_warp();
}

unsigned at_cpu_ballot(unsigned mask, int test, int line) {
  unsigned vote = test != 0;
  if (!meet("a vote", mask, &vote, line)) {
    wait_for_others();
    return vote;
  }
  unsigned found = 0;
  for (int lane = 0; lane < LANES; ++lane)
    if (self->mask >> lane & 1) found |= *(unsigned*)operand_of(lane) << lane;
  for (int lane = 0; lane < LANES; ++lane)
    if (self->mask >> lane & 1) *(unsigned*)operand_of(lane) = found;
  release_warp();
  return found;
}

void at_cpu_access(const void* p, size_t bytes, int how, int line) {
  if (!(how & ATOMIC) || bytes <= 8) aligned(p, (int)bytes, how & WRITE ? "a store" : "a load", line);
  look((uintptr_t)p, bytes, how, site_of(line));
}

void at_cpu_async(void* shared, const void* global, int bytes, int valid, int line) {
  aligned(shared, bytes, "cp.async to shared memory", line);
  aligned(global, bytes, "cp.async from global memory", line);
  if (!is_shared(shared))
    fault("%s: cp.async at @L%d@ to an address that is no shared memory", who(self->index).text, line);
  if (valid && is_shared(global))
    fault("%s: cp.async at @L%d@ from an address that is no global memory", who(self->index).text, line);
  if (valid) look((uintptr_t)global, (size_t)bytes, READ | CONSTANT, site_of(line));
  look((uintptr_t)shared, (size_t)bytes, WRITE | ASYNC, site_of(line));
  memset(shared, 0xff, (size_t)bytes);
  self->copies.push_back({(char*)shared, (const char*)global, bytes, valid != 0});
}

void at_cpu_commit() { self->groups.push_back(self->copies.size()); }

void at_cpu_wait(int left, int line) {
  if ((size_t)left >= self->groups.size()) return;
  size_t done = self->groups.size() - (size_t)left, until = self->groups[done - 1];
  for (size_t i = 0; i < until; ++i) {
    const Copy& c = self->copies[i];
    look((uintptr_t)c.to, (size_t)c.bytes, WRITE | ARRIVES, site_of(line));
    if (c.valid)
      memcpy(c.to, c.from, (size_t)c.bytes);
    else
      memset(c.to, 0, (size_t)c.bytes);
  }
  self->copies.erase(self->copies.begin(), self->copies.begin() + (long)until);
  self->groups.erase(self->groups.begin(), self->groups.begin() + (long)done);
  for (size_t& end : self->groups) end -= until;
}

void at_cpu_ldmatrix(unsigned* r, int count, int trans, const void* row, int line) {
  if (self->lane < 8 * count) {
    aligned(row, 16, "ldmatrix", line);
    if (!is_shared(row))
      fault("%s: ldmatrix at @L%d@ of an address that is no shared memory", who(self->index).text, line);
    look((uintptr_t)row, 16, READ, site_of(line));
  }
  Rows rows = {r, row, count, trans};
  if (!meet("ldmatrix", ~0u, &rows, line)) return wait_for_others();
  if (self->mask != ~0u) fault("ldmatrix at @L%d@ in a warp of fewer than 32 threads", line);
  ldmatrix_all();
  release_warp();
}

void at_cpu_mma(float* c, const unsigned* a, const unsigned* b, int is_bf16, int line) {
  Product p = {c, a, b, is_bf16};
  if (!meet("mma", ~0u, &p, line)) return wait_for_others();
  if (self->mask != ~0u) fault("mma at @L%d@ in a warp of fewer than 32 threads", line);
  mma_all();
  release_warp();
}

void at_cpu_mma_tf32(float* c, const unsigned* a, const unsigned* b, int line) {
  Product p = {c, a, b, 0};
  if (!meet("mma of TF32", ~0u, &p, line)) return wait_for_others();
  if (self->mask != ~0u) fault("mma at @L%d@ in a warp of fewer than 32 threads", line);
  mma_tf32_all();
  release_warp();
}

void at_cpu_fence_async() { self->seen_by_async = moment; }

void at_cpu_wgmma_fence() { self->fenced = true; }

void at_cpu_wgmma(float* c, int count, const void* a, const void* b, int is_bf16, int turned, int line) {
  for (const void* matrix : {a, b}) {
    aligned(matrix, 1024, "wgmma", line);
    if (!is_shared(matrix))
      fault("%s: wgmma at @L%d@ of an address that is no shared memory", who(self->index).text, line);
  }
  if (!self->fenced)
    fault("%s: wgmma at @L%d@ without a wgmma.fence after its registers were last used", who(self->index).text, line);
  GroupProduct p = {c, std::vector<float>(c, c + count), (const char*)a, (const char*)b, is_bf16, turned, line};
  look_at(p);
  self->products.push_back(p);
  for (int i = 0; i < count; ++i) c[i] = NAN;
  if (!meet("wgmma", ~0u, nullptr, line)) return wait_for_others();
  if (self->mask != ~0u) fault("wgmma at @L%d@ in a warp of fewer than 32 threads", line);
  release_warp();
}

void at_cpu_wgmma_commit() { self->product_groups.push_back(self->products.size()); }

void at_cpu_wgmma_wait(int left, int line) {
  self->fenced = false;
  if ((size_t)left < self->product_groups.size()) {
    size_t done = self->product_groups.size() - (size_t)left, until = self->product_groups[done - 1];
    for (size_t i = 0; i < until; ++i) {
      look_at(self->products[i]);
      multiply(self->products[i]);
      hand_on(i);
    }
    self->products.erase(self->products.begin(), self->products.begin() + (long)until);
    self->product_groups.erase(self->product_groups.begin(), self->product_groups.begin() + (long)done);
    for (size_t& end : self->product_groups) end -= until;
  }
  if (!meet("wgmma.wait_group", ~0u, nullptr, line)) return wait_for_others();
  release_warp();
}

void at_cpu_mbarrier_init(void* barrier, int count, int line) {
  aligned(barrier, 8, "mbarrier.init", line);
  look((uintptr_t)barrier, 8, WRITE, site_of(line));
  Phases fresh = {(int)ours->mbarriers.size(), count, count, 0, 0, self->index, false, {}};
  fresh.known.assign(cluster.size() * (threads + MBARRIERS), 0);
  if (ours->mbarriers.count((uintptr_t)barrier) || ours->mbarriers.size() == MBARRIERS)
    fault("%s: mbarrier.init at @L%d@ of one that is in use, or of more than %u", who(self->index).text, line, MBARRIERS);
  ours->mbarriers.emplace((uintptr_t)barrier, fresh);
}

void at_cpu_mbarrier_fence() {
  for (auto& [at, p] : ours->mbarriers)
    if (p.maker == self->index) p.fenced = true;
}

void arrive(void* barrier, unsigned bytes, int line) {
  Phases& p = phases_at(barrier, "mbarrier.arrive", line);
  if (p.pending == 0) fault("%s arrives at @L%d@ at an mbarrier that takes no more than %d in a phase",
                            who(self->index).text, line, p.count);
  p.bytes += bytes, --p.pending;
  learn(p.known, self->knows);
  p.known[knowledge_of(cluster[self->rank], self->index)] = moment++;
  over(p);
}

void at_cpu_mbarrier_arrive(void* barrier, unsigned bytes, int line) { arrive(barrier, bytes, line); }

void at_cpu_mbarrier_arrive_at(void* barrier, unsigned rank, int line) {
  if (rank >= cluster.size())
    fault("%s arrives at @L%d@ at an mbarrier of block %u of its cluster, which has %zu", who(self->index).text, line,
          rank, cluster.size());
  Block* mine = ours;
  ours = &cluster[rank];
  if (ours != mine) ours->reached_from = line;
  arrive(barrier, 0, line);
  ours = mine;
}

// A thread arrives at the barrier of the cluster, by which it says that its block has begun, or hands something over.
void arrive_at_cluster(int line, bool hands_over) {
  if (self->cluster_arrivals != self->cluster_waits)
    fault("%s arrives at @L%d@ at the barrier of the cluster, and has not waited for the one before", who(self->index).text,
          line);
  if (in_barrier == 0 || first_line < 0) came_first_of_all = self, first_line = line;
  if (line >= 0 && first_line != line)
    fault("diverged barrier: %s waits in a barrier of the cluster at @L%d@, and %s in one at @L%d@",
          who(self->index).text, line, who(came_first_of_all->index).text, first_line);
  ++self->cluster_arrivals, handing_over |= hands_over;
  if (++in_barrier < threads * cluster.size()) return;
  in_barrier = 0, since_barrier = 0, ++cluster_rounds;
  std::set<uint32_t> all;
  for (Block& b : cluster) all.insert(b.block_number), all.insert(b.met.begin(), b.met.end());
  for (Block& b : cluster) {
    if (handing_over) b.epoch = b.together_since = ++epochs, b.reached_from = 0, b.met = all;
    for (Fiber& f : b.fibers)
      if (f.at_cluster) f.at_cluster = false, f.state = READY;
  }
  handing_over = false;
}

void wait_for_cluster(int line) {
  if (self->cluster_arrivals == self->cluster_waits)
    fault("%s waits at @L%d@ for the barrier of the cluster, and has not arrived", who(self->index).text, line);
  while (cluster_rounds < self->cluster_arrivals) {
    self->what = "a barrier of the cluster", self->line = line, self->state = AT_BARRIER, self->at_cluster = true;
    wait_for_others();
  }
  ++self->cluster_waits;
}

void at_cpu_cluster_arrive(int line) { arrive_at_cluster(line, false); }
void at_cpu_cluster_wait(int line) { wait_for_cluster(line); }
void at_cpu_cluster_barrier(int line) { arrive_at_cluster(line, true), wait_for_cluster(line); }

void at_cpu_store_peer(void* p, const void* from, int bytes, unsigned block, int line) {
  aligned(p, bytes, "a store to another block", line);
  if (block >= cluster.size())
    fault("%s writes at @L%d@ to block %u of its cluster, which has %zu", who(self->index).text, line, block,
          cluster.size());
  if (!is_shared(p))
    fault("%s writes at @L%d@ to another block at an address that is no shared memory", who(self->index).text, line);
  if (self->cluster_waits == 0)
    fault("%s reaches block %u at @L%d@, which may not have begun: a barrier of the cluster is missing",
          who(self->index).text, block, line);
  Block* mine = ours;
  ours = &cluster[block];
  if (ours != mine) ours->reached_from = line;
  look((uintptr_t)p, (size_t)bytes, WRITE, site_of(line));
  memcpy(held(*ours, p), from, (size_t)bytes);
  ours = mine;
}

void at_cpu_mbarrier_wait(void* barrier, unsigned parity, int line) {
  Phases& p = phases_at(barrier, "mbarrier.try_wait", line);
  while (p.parity == parity) {
    self->phases = &p, self->line = line, self->what = "mbarrier.try_wait", self->state = AT_PHASE;
    wait_for_others();
  }
  learn(self->knows, p.known);
}

int at_cpu_group_barrier(int number, int count, int test, int line) {
  GroupBarrier& b = ours->group_barriers[number];
  if (b.came.empty()) b = {{}, count, line, 0, std::vector<uint64_t>(cluster.size() * (threads + MBARRIERS), 0)};
  if (b.count != count || b.line != line || count % LANES)
    fault("diverged: %s waits in a barrier of %d threads at @L%d@, and others in one of %d at @L%d@",
          who(self->index).text, count, line, b.count, b.line);
  self->what = "a barrier of some threads", self->line = line, self->state = AT_BARRIER;
  b.came.push_back(self), b.result |= test;
  learn(b.known, self->knows);
  b.known[knowledge_of(*ours, self->index)] = moment++;
  if ((int)b.came.size() < count) {
    wait_for_others();
    return self->value;
  }
  for (Fiber* f : b.came) learn(f->knows, b.known), f->state = READY, f->value = b.result;
  b.came.clear();
  return self->value;
}

// The map that is given with so many coordinates, and those from the outermost on.
void by_map(TensorMap& found, Corner& corner, const void* map, const int* from_last, int count, const char* what,
            int line) {
  memcpy(&found, map, sizeof found);
  if ((uintptr_t)map % 64 || found.magic != TENSOR_MAP)
    fault("%s: %s at @L%d@ by what is no tensor map", who(self->index).text, what, line);
  if ((uint64_t)count != found.rank || found.box[RANK - 1] * found.item != BOX_ROW || found.steps[RANK - 1] != 1)
    fault("%s: %s at @L%d@ at %d coordinates of a map of %d dimensions, rows of whose boxes are %d bytes",
          who(self->index).text, what, line, count, (int)found.rank, (int)(found.box[RANK - 1] * found.item));
  corner = {};
  for (int d = 0; d < count; ++d) corner.at[RANK - 1 - d] = from_last[d];
}

void bulk(void* shared, const void* map, const int* from_last, int count, void* barrier, int line) {
  Phases& p = phases_at(barrier, "a bulk copy", line);
  BulkCopy c = {(char*)shared, {}, {}, line, &p};
  by_map(c.map, c.corner, map, from_last, count, "bulk copy", line);
  aligned(shared, 1024, "a swizzled bulk copy", line);
  if (!p.fenced)
    fault("%s: bulk copy at @L%d@ to an mbarrier whose init no fence.mbarrier_init follows", who(self->index).text, line);
  if (!is_shared(shared))
    fault("%s: bulk copy at @L%d@ to an address that is no shared memory", who(self->index).text, line);
  begin(c);
}

void at_cpu_bulk(void* shared, const void* map, const int* corner, int count, void* barrier, unsigned mask, int line) {
  Block* mine = ours;
  if (mask == 0) mask = 1u << self->rank;
  if (mask >> cluster.size())
    fault("%s: bulk copy at @L%d@ to blocks %#x of a cluster of %zu", who(self->index).text, line, mask, cluster.size());
  if (launch->watched) {
    TensorMap m;
    Corner from;
    by_map(m, from, map, corner, count, "bulk copy", line);
    each_run(m, from, [&](uintptr_t at, size_t bytes) { meet_bytes(at, bytes, false); });
  }
  for (Block& b : cluster)
    if (mask >> b.rank & 1) ours = &b, bulk(shared, map, corner, count, barrier, line);
  ours = mine;
}

void at_cpu_bulk_store(const void* map, const int* corner, int count, const void* shared, int line) {
  BulkStore s = {(const char*)shared, {}, {}, line, self->index, self->stores_committed};
  by_map(s.map, s.corner, map, corner, count, "bulk store", line);
  aligned(shared, 1024, "a swizzled bulk store", line);
  if (!is_shared(shared))
    fault("%s: bulk store at @L%d@ from an address that is no shared memory", who(self->index).text, line);
  begin(s);
}

void at_cpu_bulk_prefetch(const void* map, const int* from_last, int count, int line) {
  TensorMap m;
  Corner corner;
  by_map(m, corner, map, from_last, count, "bulk prefetch", line);
  each_run(m, corner, [&](uintptr_t at, size_t bytes) { ask_for(at, bytes, line); });
}

void at_cpu_bulk_commit() { ++self->stores_committed; }

void at_cpu_bulk_wait(int left, int line) { stored((size_t)left, line); }
}
