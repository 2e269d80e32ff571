/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeat IN OUT SAMPLES: a pitrace file repeated until it has so many samples (repeat.h). */
#include "repeat.h"
#include "rings.h"

static uint64_t ticks[CPUS];
static struct repeat repeat;
static struct pirecord *records;
static size_t nrecords;

/* ---- one record ------------------------------------------------------------------------------ */

static void repeat_stack(uint8_t *data)
{
	struct pitrace_stack h;

	memcpy(&h, data, sizeof(h));
	data += sizeof(h);
	for (uint32_t i = 0; i < (uint32_t)h.kernel + h.user; i++, data += 8) {
		uint64_t address;

		memcpy(&address, data, 8);
		address = repeat_address(&repeat, address);
		memcpy(data, &address, 8);
	}
}

static void repeat_data(const struct pirecord *r, uint8_t *data)
{
	struct pitrace_sample *sample = (void *)data;
	struct pitrace_mte_task *task = (void *)data;
	struct pitrace_mte_map *map = (void *)data;
	struct pitrace_mte_unmap *unmap = (void *)data;

	if (r->major == PITRACE_TPROF && r->size >= sizeof(*sample)) {
		sample->pid = repeat_pid(&repeat, sample->pid);
		sample->tid = repeat_pid(&repeat, sample->tid);
		sample->address = repeat_address(&repeat, sample->address);
		if (r->minor & PITRACE_TPROF_STACK)
			repeat_stack(data + sizeof(*sample));
	}
	if (r->major != PITRACE_MTE)
		return;
	switch (r->minor) {
	case PITRACE_MTE_MODULE:
		map->pid = repeat_pid(&repeat, map->pid);
		map->start = repeat_address(&repeat, map->start);
		break;
	case PITRACE_MTE_UNMAP:
		unmap->pid = repeat_pid(&repeat, unmap->pid);
		unmap->start = repeat_address(&repeat, unmap->start);
		break;
	case PITRACE_MTE_BUILDID:
	case PITRACE_MTE_UNLOAD:
		break;
	default:
		task->pid = repeat_pid(&repeat, task->pid);
		task->tid = repeat_pid(&repeat, task->tid);
		task->ppid = repeat_pid(&repeat, task->ppid);
		task->start += repeat.shift;
	}
}

static void put(const struct pirecord *r)
{
	void *data = rings_put(r, repeat.shift);
	struct pitrace_sync sync;

	repeat_data(r, data);
	if (r->major == PITRACE_SYNC && r->size >= sizeof(sync)) {
		memcpy(&sync, data, sizeof(sync));
		sync.stamp += repeat.shift;
		sync.monotonic += repeat.shift;
		sync.boottime += repeat.shift;
		sync.realtime += repeat.shift;
		memcpy(data, &sync, sizeof(sync));
	}
}

/* ---- the recording --------------------------------------------------------------------------- */

static void load(void)
{
	struct pimerge *m = pimerge_open(in, PIMERGE_MTE | PIMERGE_TRACE);
	struct pirecord r;
	size_t room = 0;

	if (!m)
		check(-ENOMEM, "reading");
	while (pimerge_next(m, &r)) {
		void *data = malloc(r.size);

		if (nrecords == room) {
			room = 2 * room + 1024;
			records = realloc(records, room * sizeof(r));
		}
		if (!records || !data)
			check(-ENOMEM, "reading");
		if (r.snapshot || r.cpu >= CPUS) {
			free(data);
			continue;
		}
		records[nrecords] = r;
		records[nrecords++].data = memcpy(data, r.data, r.size);
	}
	pimerge_close(m);
}

static bool is_sample(size_t i)
{
	return records[i].major == PITRACE_TPROF;
}

static uint64_t time_of(size_t i)
{
	return records[i].stamp;
}

static uint32_t pid_of(size_t i)
{
	return is_sample(i) ? ((const struct pitrace_sample *)records[i].data)->pid : 0;
}

static bool is_end(const struct pirecord *r)
{
	return r->major == PITRACE_SYNC && r->minor == PITRACE_SYNC_OFF;
}

/* Records of the whole recording are written in the first copy and, its end, after the last. */
static bool is_of_the_whole(const struct pirecord *r)
{
	const struct pitrace_mte_map *map = r->data;

	return r->major == PITRACE_SYNC || r->major == PITRACE_SYSINFO ||
	       r->major == PITRACE_LOST ||
	       (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_MODULE &&
		map->flags & PITRACE_MAP_KERNEL);
}

static void write_record(size_t i)
{
	if (is_end(&records[i]) || (repeat.copy && is_of_the_whole(&records[i])))
		return;
	ticks[records[i].cpu] += is_sample(i);
	put(&records[i]);
}

/* ---- what stands beside the records ---------------------------------------------------------- */

static void copy_sections(bool statistics)
{
	for (size_t i = 0; i < pifile_sections(in); i++) {
		enum pifile_section_type type = pifile_section(in, i)->type;
		const struct pifile_section *s = pifile_section(in, i);
		void *buffer = NULL;
		size_t size;

		if (type == PIFILE_SEC_SEGMENT || type == PIFILE_SEC_END ||
		    type == PIFILE_SEC_INDEX || (type == PIFILE_SEC_STATS) != statistics)
			continue;
		if (!pifile_payload(in, i, &buffer, &size))
			check(-EBADMSG, "reading");
		if (type == PIFILE_SEC_SNAPSHOT) {
			size_t head = ((struct pitrace_segment *)buffer)->size;

			check(pifile_write_snapshot(out, (char *)buffer + head, size - head,
						    s->first),
			      "writing");
			free(buffer);
			continue;
		}
		for (struct pifile_stats *st = buffer;
		     statistics && (char *)(st + 1) <= (char *)buffer + size; st++)
			st->ticks = st->cpu < CPUS ? ticks[st->cpu] : 0;
		check(pifile_write_section(out, type, buffer, size), "writing");
		free(buffer);
	}
}

int main(int argc, char **argv)
{
	struct recording recording = { .is_sample = is_sample,
				       .time = time_of,
				       .pid = pid_of,
				       .write = write_record };

	repeat.left = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
	if (!repeat.left) {
		fputs("usage: repeat IN OUT SAMPLES\n", stderr);
		return 2;
	}
	rings_open(argv[1], argv[2]);
	copy_sections(false);
	load();
	recording.n = nrecords;
	repeat_look(&repeat, &recording);
	repeat_run(&repeat, &recording);
	for (size_t i = 0; i < nrecords; i++)
		if (is_end(&records[i]))
			put(&records[i]);
	rings_flush();
	copy_sections(true);
	printf("%zu samples, %u copies\n", repeat.samples, repeat.copy + 1);
	rings_close();
	return 0;
}
