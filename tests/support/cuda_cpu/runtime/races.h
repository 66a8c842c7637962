// Races: two threads at one byte between two barriers, one of them writing; and data that is still in flight.
#pragma once

#include "places.h"

namespace {

[[noreturn]] void race(const char* does, const char* did, const Place& in, uintptr_t p, int other, uint32_t then,
                       uint32_t now) {
  fault("race on %s at byte %llu: %s %s at %s what %s %s at %s, with no barrier between", in.name,
        (unsigned long long)(p - in.start), who(self->index).text, does, where(now).text, who(other).text, did,
        where(then).text);
}

// Whether it is the thread that runs: of the block whose memory is looked at, which may be another one of the cluster.
bool is_self(int index) { return index == self->index && self->rank == ours->rank; }

// Whether no barrier came since: one of its block, for who is of that block, and else one of the cluster.
bool no_barrier_since(uint32_t then) {
  return self->rank == ours->rank ? then == ours->epoch : then >= ours->together_since;
}

// Whether what another thread did in this barrier interval comes before: only where its warp has met since.
bool ordered(int other, uint16_t sync) {
  if (self->rank != ours->rank || (size_t)other >= ours->fibers.size()) return false;  // a bulk copy is no thread's
  return ours->fibers[(size_t)other].warp == self->warp && ours->warp_sync[(size_t)self->warp] != sync;
}

// Or where this thread waited for a phase of an mbarrier at which the other one arrived since.
size_t knowledge_of(const Block& block, int index) { return block.rank * (threads + MBARRIERS) + (size_t)index; }
bool knows(int other, uint64_t when) {
  size_t at = knowledge_of(*ours, other);
  return at < self->knows.size() && self->knows[at] >= when;
}

void read_among_others(Trace& t, uint32_t site) {
  if (!t.readers) t.readers = (uint32_t)read_by.size(), read_by.emplace_back();
  std::vector<Reader>& all = read_by[t.readers];
  Reader now = {(uint16_t)self->index, ours->warp_sync[(size_t)self->warp], ours->epoch, site, moment};
  for (Reader& r : all)
    if (r.index == now.index || r.epoch != ours->epoch) return void(r = now);
  all.push_back(now);
}

// Whether the thread that runs comes after the last write. What another block wrote is handed over by a barrier of the
// cluster alone, to which it came later, and for which this one has waited.
bool comes_after(const Trace& t) {
  if (t.foreign && t.write_epoch >= ours->began)
    return self->cluster_waits > t.arrivals || (t.write_rank == self->rank && t.writer == self->index);
  return !no_barrier_since(t.write_epoch) || is_self(t.writer) || ordered(t.writer, t.write_sync) ||
         knows(t.writer, t.moment);
}

// Who read it since it was last written, and does not come before this thread's write.
const Reader* still_reads(const Trace& t) {
  if (t.readers)
    for (const Reader& r : read_by[t.readers])
      if (no_barrier_since(r.epoch) && !is_self(r.index) && !ordered(r.index, r.sync) && !knows(r.index, r.moment))
        return &r;
  return nullptr;
}

// Blocks run in any order: what another one did comes before only where the two have met.
void between_blocks(Trace& t, const Place& in, uintptr_t p, int how, uint32_t site) {
  const char* does = how & WRITE ? "writes" : "reads";
  uint32_t wrote = t.write_block, read = how & WRITE ? t.read_block : 0;
  bool unmet = wrote && wrote != ours->block_number && !(how & ATOMIC && t.atomic) && !ours->met.count(wrote);
  if (unmet || (read && read != ours->block_number && !ours->met.count(read)))
    fault("race on %s at byte %llu: a block %s at %s what block %u %s at %s, and they have not met", in.name,
          (unsigned long long)(p - in.start), does, where(site).text, (unmet ? wrote : read) - 1,
          unmet ? "wrote" : "read", where(unmet ? t.write_site : t.read_site).text);
  (how & WRITE ? t.write_block : t.read_block) = ours->block_number;
}

// A bulk store reads its tile until its thread has waited for that.
void not_being_stored(uintptr_t p, size_t bytes, uint32_t site) {
  for (const BulkStore& s : ours->bulk_stores) {
    uintptr_t from = (uintptr_t)s.from;
    if (p < from + s.map.box_rows() * BOX_ROW && from < p + bytes)
      fault("%s writes at %s to the tile that the bulk store at @L%d@ still reads: a wait is missing",
            who(self->index).text, where(site).text, s.line);
  }
}

void trace(const Place& in, uintptr_t p, size_t bytes, int how, uint32_t site) {
  if (in.shared && how & WRITE && !ours->bulk_stores.empty()) not_being_stored(p, bytes, site);
  for (Trace *t = in.traces + (p - in.start), *end = t + bytes; t < end; ++t) {
    uintptr_t byte = in.start + (uintptr_t)(t - in.traces);
    if (t->in_flight && !(how & ARRIVES))
      fault("%s %s byte %llu of %s at %s while %s%s at %s into it is in flight: a wait is missing",
            who(self->index).text, how & WRITE ? "writes" : "reads", (unsigned long long)(byte - in.start), in.name,
            where(site).text, t->writer < ours->fibers.size() ? "the cp.async of " : "", who(t->writer).text,
            where(t->write_site).text);
    if (!in.shared) between_blocks(*t, in, byte, how, site);
    bool together = how & ATOMIC && t->atomic;
    if (!together && !comes_after(*t))
      race(how & WRITE ? "writes" : "reads", "wrote", in, byte, t->writer, t->write_site, site);
    if (how & WRITE) {
      if (const Reader* r = together ? nullptr : still_reads(*t))
        race("writes", "read", in, byte, r->index, r->site, site);
      bool alone = is_self(t->reader) && !t->many_lanes && !t->many_warps;
      if (no_barrier_since(t->read_epoch) && !alone && !together && (t->many_warps || !ordered(t->reader, t->read_sync)))
        race("writes", "read", in, byte, t->reader, t->read_site, site);
      t->write_epoch = ours->epoch, t->write_sync = ours->warp_sync[(size_t)self->warp], t->write_site = site;
      t->writer = (uint16_t)self->index, t->atomic = how & ATOMIC, t->in_flight = how & ASYNC;
      t->moment = ++moment;
      t->foreign = self->rank != ours->rank && !(how & (ASYNC | ARRIVES));
      t->write_rank = (uint16_t)self->rank, t->arrivals = (uint16_t)self->cluster_arrivals;
      if (t->readers) read_by[t->readers].clear();
    } else if (!ours->mbarriers.empty() || how & ASYNC) {
      read_among_others(*t, site);
    } else if (t->read_epoch != ours->epoch) {
      t->read_epoch = ours->epoch, t->read_sync = ours->warp_sync[(size_t)self->warp], t->read_site = site;
      t->reader = (uint16_t)self->index, t->many_lanes = t->many_warps = false;
    } else if (t->reader != self->index) {
      t->many_warps |= ours->fibers[t->reader].warp != self->warp;
      t->many_lanes = true;
      t->reader = (uint16_t)self->index, t->read_site = site, t->read_sync = ours->warp_sync[(size_t)self->warp];
    } else {
      t->read_sync = ours->warp_sync[(size_t)self->warp];
    }
  }
}

}  // namespace
