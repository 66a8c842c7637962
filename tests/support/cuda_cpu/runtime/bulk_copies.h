// Bulk copies of tensors and the mbarriers that they land at: who may read a tile when, and who may fill it again.
// And bulk stores, which read theirs as late as they may, in reverse order at once, until their thread waits for them.
//
// A copy clears its tile at once and lands as late as it may, so that a reader who did not wait finds no numbers; in
// reverse order it lands as early as it may, and at random in between. An mbarrier orders what threads do: who waited for
// a phase comes after all that those did who arrived before it was over, and after the copies that landed at it.
#pragma once

#include "accesses.h"

namespace {


void learn(std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i)
    if (to[i] < from[i]) to[i] = from[i];
}

Phases& phases_at(void* barrier, const char* what, int line) {
  look((uintptr_t)barrier, 8, READ | WRITE | ATOMIC, site_of(line));
  auto found = ours->mbarriers.find((uintptr_t)barrier);
  if (found == ours->mbarriers.end())
    fault("%s: %s at @L%d@ at what is no mbarrier", who(self->index).text, what, line);
  return found->second;
}

// Where shared memory of the block that is looked at is now.
char* kept(char* p) {
  if (ours == resident) return p;
  bool inside;
  Place in = place((uintptr_t)p, inside);
  size_t first = in.start == (uintptr_t)dynamic ? static_bytes() : 0;
  return ours->memory.data() + first + ((uintptr_t)p - in.start);
}

// The phase is over when all have arrived and all that was announced has landed.
void over(Phases& p) {
  if (p.pending || p.bytes) return;
  p.parity ^= 1, p.pending = p.count;
  since_barrier = 0;
  for (Fiber& f : ours->fibers)
    if (f.state == AT_PHASE && f.phases == &p) f.state = READY;
}

// What reads on its own sees what a thread wrote before its last fence for that.
void by_async(uintptr_t from, size_t bytes, int how, const char* what, int line) {
  look(from, bytes, how, site_of(line));
  bool inside;
  Place in = place(from, inside);
  for (size_t i = 0; i < bytes; ++i) {
    const Trace& t = in.traces[from - in.start + i];
    if (t.writer < ours->fibers.size() && t.moment > ours->fibers[t.writer].seen_by_async)
      fault("%s: %s at @L%d@ reads what %s wrote at %s, with no fence for the asynchronous proxy between",
            who(self->index).text, what, line, who(t.writer).text, where(t.write_site).text);
  }
}

uint16_t writer_of(const Phases& p) { return (uint16_t)(threads + (unsigned)p.number); }

void begin(const BulkCopy& c) {
  const TensorMap& m = c.map;
  bool inside;
  Place of = place(m.address, inside);
  if (!inside || of.shared || m.address + m.bytes() > of.start + of.bytes || of.writable)
    fault("%s: bulk copy at @L%d@ from %s, by a map of more than it, or of what the kernel writes",
          who(self->index).text, c.line, of.name);
  size_t bytes = m.box_rows() * BOX_ROW;
  Place in = place((uintptr_t)c.to, inside);
  for (size_t i = 0; inside && i < bytes && (uintptr_t)c.to + i < in.start + in.bytes; ++i) {
    const Trace& t = in.traces[(uintptr_t)c.to - in.start + i];
    if (t.write_site && t.writer < ours->fibers.size() && t.moment > ours->fibers[t.writer].seen_by_async)
      fault("%s: bulk copy at @L%d@ over what %s wrote at %s, with no fence for the asynchronous proxy between",
            who(self->index).text, c.line, who(t.writer).text, where(t.write_site).text);
  }
  look((uintptr_t)c.to, bytes, WRITE | ASYNC, site_of(c.line));
  for (size_t i = 0; i < bytes; ++i) in.traces[(uintptr_t)c.to - in.start + i].writer = writer_of(*c.phases);
  memset(kept(c.to), 0xff, bytes);
  ours->bulk_copies.push_back(c);
}

int in_box(int row, int byte) { return row * BOX_ROW + (byte / PIECE ^ row % 8) * PIECE + byte % PIECE; }

// Where a byte of a box's row is in memory, or nothing where it lies outside.
char* in_memory(const TensorMap& m, const Corner& corner, int row, int byte) {
  int64_t in_box[RANK], at = 0;
  in_box[RANK - 1] = byte / (int)m.item;
  for (int d = RANK - 2; d >= 0; --d) in_box[d] = row % (int)m.box[d], row /= (int)m.box[d];
  for (int d = 0; d < RANK; ++d) {
    int64_t place = corner.at[d] + in_box[d] * m.steps[d];
    if (place < 0 || place >= (int64_t)m.sizes[d]) return nullptr;
    at = at * (int64_t)m.sizes[d] + place;
  }
  return (char*)m.address + at * (int64_t)m.item + byte % (int)m.item;
}

// Each run of bytes of a box, as far as it lies inside.
template <class Do> void each_run(const TensorMap& m, const Corner& corner, Do with) {
  for (int row = 0; row < (int)m.box_rows(); ++row) {
    const char* first = nullptr;
    size_t bytes = 0;
    for (int byte = 0; byte < BOX_ROW; ++byte)
      if (const char* at = in_memory(m, corner, row, byte)) first = bytes++ ? first : at;
    if (bytes) with((uintptr_t)first, bytes);
  }
}

void land(size_t which) {
  BulkCopy c = ours->bulk_copies[which];
  ours->bulk_copies.erase(ours->bulk_copies.begin() + (long)which);
  const TensorMap& m = c.map;
  bool inside;
  Place in = place((uintptr_t)c.to, inside);
  ++moment;
  for (int row = 0; row < (int)m.box_rows(); ++row)
    for (int byte = 0; byte < BOX_ROW; ++byte) {
      char* to = c.to + in_box(row, byte);
      const char* from = in_memory(m, c.corner, row, byte);
      *kept(to) = from ? *from : 0;
      Trace& t = in.traces[(uintptr_t)to - in.start];
      t.in_flight = false, t.write_epoch = ours->epoch, t.moment = moment;
    }
  c.phases->bytes -= (int64_t)m.box_rows() * BOX_ROW;
  c.phases->known[knowledge_of(*ours, writer_of(*c.phases))] = moment;
  over(*c.phases);
}

void read_for_store(const BulkStore& s) {
  for (int row = 0; row < (int)s.map.box_rows(); ++row)
    for (int byte = 0; byte < BOX_ROW; ++byte)
      if (char* to = in_memory(s.map, s.corner, row, byte)) *to = s.from[in_box(row, byte)];
}

void begin(const BulkStore& s) {
  const TensorMap& m = s.map;
  bool inside;
  Place to = place(m.address, inside);
  if (!inside || to.shared || m.address + m.bytes() > to.start + to.bytes || !to.writable)
    fault("%s: bulk store at @L%d@ to %s, by a map of more than it, or of what is const", who(self->index).text, s.line,
          to.name);
  by_async((uintptr_t)s.from, m.box_rows() * BOX_ROW, READ | ASYNC, "a bulk store", s.line);
  each_run(m, s.corner, [&](uintptr_t at, size_t bytes) { look(at, bytes, WRITE, site_of(s.line)); });
  if (launch->order == 1) read_for_store(s);
  ours->bulk_stores.push_back(s);
}

// All but the last so many groups that this thread committed have read their tiles.
void stored(size_t left, int line) {
  for (size_t i = 0; i < ours->bulk_stores.size();) {
    BulkStore s = ours->bulk_stores[i];
    if (s.owner != self->index || s.group + left >= self->stores_committed) {
      ++i;
      continue;
    }
    if (launch->order != 1) read_for_store(s);
    look((uintptr_t)s.from, s.map.box_rows() * BOX_ROW, READ | ASYNC, site_of(line));
    ours->bulk_stores.erase(ours->bulk_stores.begin() + (long)i);
  }
}

// Between two rounds of the threads of all blocks, in the last of which somebody moved or nobody.
bool some_land(bool moved) {
  bool any = !ours->bulk_copies.empty();
  if (launch->order == 1)
    while (!ours->bulk_copies.empty()) land(ours->bulk_copies.size() - 1);
  else if (any && (!moved || (launch->order == 2 && next_random() % 2)))
    land(launch->order == 2 ? next_random() % ours->bulk_copies.size() : 0);
  return any;
}

}  // namespace
