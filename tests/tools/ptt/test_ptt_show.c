/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that ptt prints of counts: words, JSON and CSV, of made counts in which each number is
 * another. (Linked with --wrap: the rate of cycles is the test's.)
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "base/proc_cgroup.h"
#include "cgroup_name.h"
#include "tool.h"
#include "unit.h"

static double rate;

double __wrap_CyclesPerSecond(void);
double __wrap_CyclesPerSecond(void)
{
	return rate;
}

static char said[300];

void __wrap_complain(const char *format, ...);
void __wrap_complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(said, sizeof(said), format, list);
	va_end(list);
}

static void prints(const struct ptt_options *o, const struct dump *d, const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_FATAL(out != NULL);
	show(out, o, d);
	fclose(out);
	if (strcmp(text, want) != 0)
		printf("# printed:\n%s# not:\n%s", text, want);
	CU_ASSERT_STRING_EQUAL(text, want);
	free(text);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static struct ptt_row row[5];
static struct pttview_cpu cpu[2];
static int number[2] = { 0, 3 };

static void thread(int i, int pid, int tid, uint64_t value, const char *name)
{
	row[i] = (struct ptt_row){ .slot = i };
	row[i].t.pid = pid;
	row[i].t.tid = tid;
	row[i].t.dispatches = value / 10;
	row[i].t.interrupts = value / 100;
	row[i].t.value[0] = value;
	row[i].t.value[1] = value / 2;
	row[i].t.interrupt[0] = value / 4;
	row[i].t.interrupt[1] = value / 8;
	strcpy(row[i].t.name, name);
}

/* Processes 7 and 9, whose threads do not follow one another; of 8 there is only one. */
static struct dump counts(unsigned int metrics)
{
	struct dump d = {
		.row = row,
		.rows = 5,
		.cpu = cpu,
		.cpu_number = number,
		.elapsed = 12003999999,
		.cpi = { -1, -1 },
		.whole = true,
	};

	thread(0, 7, 7, 1000, "main");
	thread(1, 7, 17, 3000, "wor\nker");
	thread(2, 8, 8, 0, "idle");
	thread(3, 9, 9, 500, "a,\"b");
	thread(4, 7, 27, 600, "late");
	row[4].t.ended = 1;
	d.info.metrics = metrics;
	strcpy(d.info.metric[0], "cycles");
	strcpy(d.info.metric[1], "ins\ttructions,and");
	strcpy(d.info.metric[2], "third");
	strcpy(d.info.unit[0], "cycles");
	strcpy(d.info.unit[1], "events");
	d.gone = (struct pttview_gone){
		.threads = 4,
		.dispatches = 41,
		.interrupts = 42,
		.value = { 43, 44 },
		.interrupt = { 45, 46 },
		.unwatched = 47,
	};
	memset(cpu, 0, sizeof(cpu));
	for (unsigned int c = 0; c < 2; c++) {
		cpu[c].online = !c;
		cpu[c].dispatches = 51 + 10 * c;
		cpu[c].interrupts = 52 + 10 * c;
		cpu[c].steal = 53 + 10 * c;
		for (unsigned int m = 0; m < metrics; m++)
			for (unsigned int b = 0; b < PTTVIEW_BUCKETS; b++)
				cpu[c].wall[m] += cpu[c].bucket[b][m] = 100 * c + 10 * m + b + 1;
	}
	return d;
}

/* ---- words ----------------------------------------------------------------------------------- */

static struct ptt_options options;

static const char all_processes[] =
	"     PID      TID       DISP       INTR             cycles  NAME\n"
	"       7        7        100         10               1000  main\n"
	"       7       17        300         30               3000  wor\\x0aker\n"
	"       7      all        400         40               4000\n"
	"       8        8                                  No Data  idle\n"
	"       9        9         50          5                500  a,\"b\n"
	"       7       27         60          6                600  late\n"
	"          earlier         41         42                 43  4 threads that end"
	"ed\n"
	"47 threads were not counted: there was no room for them (-n)\n"
	"in 12.003 s\n";
static const char chosen[] = "Interval 1: what came in it\n"
			     "     PID      TID       DISP       INTR             cycles  NAME\n"
			     "       7        7        100         10               1000  main\n"
			     "Interrupts are charged to the threads that they interrupt.\n"
			     "no\\x09cycles\n"
			     "in 0.000 s\n";
static const char none_chosen[] =
	"\n"
	"Interval 2: what came in it\n"
	"     PID      TID       DISP       INTR             cycles  NAME\n"
	"No Data\n"
	"Interrupts are charged to the threads that they interrupt.\n"
	"no\\x09cycles\n"
	"in 0.000 s\n";
static const char all_ended[] = "     PID      TID       DISP       INTR  NAME\n"
				"          earlier         41         42  4 threads that ended\n"
				"47 threads were not counted: there was no room for them (-n)\n"
				"in 12.003 s\n";
static const char nobody[] = "     PID      TID       DISP       INTR  NAME\n"
			     "No Data\n"
			     "in 12.003 s\n";

/* A process has a line of its own after several of its threads. */
static void processes(void)
{
	struct dump d = counts(1);

	options = (struct ptt_options){ .sort = SORT_PROCESS };
	prints(&options, &d, all_processes);
	/* Those that -pl chose: of the others nothing is said. */
	d.partly = true;
	d.rows = 1;
	d.charged = true;
	d.interval = 1;
	d.elapsed = 999999;
	strcpy(d.info.note, "no\tcycles");
	prints(&options, &d, chosen);
	d.interval = 2;
	d.rows = 0;
	prints(&options, &d, none_chosen);
	/* Nobody: but for those that ended, if there are. */
	d = counts(0);
	d.rows = 0;
	prints(&options, &d, all_ended);
	d.gone.threads = d.gone.unwatched = 0;
	prints(&options, &d, nobody);
}

static const char all_threads[] =
	"     PID      TID       DISP       INTR             cycles       Instructions "
	"             third      CPI  NAME\n"
	"       7        7        100         10               1000                500 "
	"                 0    2.000  main\n"
	"       7       17        300         30               3000               1500 "
	"                 0    2.000  wor\\x0aker\n"
	"       8        8                                                             "
	"                    No Data  idle\n"
	"       9        9         50          5                500                  0 "
	"                 0        -  a,\"b\n"
	"       7       27         60          6                600                300 "
	"                 0    2.000  late\n"
	"       7      all        460         46               4600               2300 "
	"                 0    2.000\n"
	"          earlier         41         42                 43                 44 "
	"                 0    0.977  4 threads that ended (more ended while these were"
	" read)\n"
	"47 threads were not counted: there was no room for them (-n)\n"
	"in 12.003 s\n";

/* In other orders the processes follow all threads. */
static void threads(void)
{
	struct dump d = counts(3);

	options = (struct ptt_options){ .sort = SORT_METRIC, .cpi = true };
	CU_ASSERT_FALSE(dump_cpi(&d));
	CU_ASSERT(strstr(said, "cycles and instructions are not both among the metrics") != NULL);
	strcpy(d.info.metric[1], "Instructions");
	d.torn = true;
	row[3].t.value[1] = 0;
	CU_ASSERT_TRUE(dump_cpi(&d));
	CU_ASSERT(d.cpi[0] == 0 && d.cpi[1] == 1);
	prints(&options, &d, all_threads);
}

static const char all_cpus[] =
	"     PID      TID       DISP       INTR             cycles ins\\x09tructions,a"
	"  NAME\n"
	"          earlier         41         42                 43                 44 "
	" 4 threads that ended\n"
	"47 threads were not counted: there was no room for them (-n)\n"
	"\n"
	"     CPU                      DISP       INTR             cycles ins\\x09truct"
	"ions,a\n"
	"       0 threads                                           1                 1"
	"1\n"
	"       0 other                                             2                 1"
	"2\n"
	"       0 idle                                              3                 1"
	"3\n"
	"       0 interrupts                                        4                 1"
	"4\n"
	"       0 all                51         52                 10                 5"
	"0\n"
	"       3 threads                                         101                11"
	"1\n"
	"       3 other                                           102                11"
	"2\n"
	"       3 idle                                            103                11"
	"3\n"
	"       3 interrupts                                      104                11"
	"4\n"
	"       3 all                61         62                410                45"
	"0  (ins\\x09tructions,and: not all the time)\n"
	"threads 102 + other 104 + idle 106 + interrupts 108 = 420, all of the CPUs' cy"
	"cles\n"
	"threads 122 + other 124 + idle 126 + interrupts 128 = 500, all of the CPUs' in"
	"s\\x09tructions,and\n"
	"All threads' own values add up to the threads' part.\n"
	"in 12.003 s\n";
static const char unbalanced[] =
	"     PID      TID       DISP       INTR             cycles       instructions "
	"     CPI  NAME\n"
	"          earlier         41         42                 43                 44 "
	"   0.977  4 threads that ended\n"
	"47 threads were not counted: there was no room for them (-n)\n"
	"\n"
	"     CPU                      DISP       INTR             cycles       instruc"
	"tions      CPI\n"
	"       0 threads                                           1                 1"
	"1    0.091\n"
	"       0 other                                             2                 1"
	"2    0.167\n"
	"       0 idle                                              3                 1"
	"3    0.231\n"
	"       0 interrupts                                        4                 1"
	"4    0.286\n"
	"       0 all                51         52                  9                 5"
	"0    0.180\n"
	"       3 threads                                         101                11"
	"1    0.910\n"
	"       3 other                                           102                11"
	"2    0.911\n"
	"       3 idle                                            103                11"
	"3    0.912\n"
	"       3 interrupts                                      104                11"
	"4    0.912\n"
	"       3 all                61         62                410                45"
	"0    0.911  (instructions: not all the time)\n"
	"threads 102 + other 104 + idle 106 + interrupts 108 = 420, but the CPUs' is 41"
	"9 cycles\n"
	"threads 122 + other 124 + idle 126 + interrupts 128 = 500, all of the CPUs' in"
	"structions\n"
	"Threads ran on while this was read: their values are newer than the threads' p"
	"art.\n"
	"in 12.003 s\n";
static const char no_cpus[] =
	"     PID      TID       DISP       INTR             cycles       instructions "
	"     CPI  NAME\n"
	"          earlier         41         42                 43                 44 "
	"   0.977  4 threads that ended\n"
	"47 threads were not counted: there was no room for them (-n)\n"
	"\n"
	"     CPU                      DISP       INTR             cycles       instruc"
	"tions      CPI\n"
	"CAP_PERFMON is needed to see what else the CPUs did.\n"
	"in 12.003 s\n";

/* The CPUs' parts, and whether they add up. */
static void cpus(void)
{
	struct dump d = counts(2);

	options = (struct ptt_options){ .sort = SORT_PROCESS, .cpus = true };
	d.rows = 0;
	d.cpus = 2;
	cpu[1].missing = 2;
	prints(&options, &d, all_cpus);
	cpu[0].wall[0]--;
	d.whole = false;
	strcpy(d.info.metric[1], "instructions");
	CU_ASSERT_TRUE(dump_cpi(&d));
	prints(&options, &d, unbalanced);
	d.cpus = 0;
	prints(&options, &d, no_cpus);
}

/* ---- other forms ----------------------------------------------------------------------------- */

static const char all_json[] =
	"{\"json_version\":1,\"interval\":3,\"elapsed_ns\":12003999999,\"cycles_per_sec"
	"ond\":2500000000,\"interrupts_charged\":false,\"note\":\"\",\"metrics\":[{\"na"
	"me\":\"cycles\",\"unit\":\"cycles\"},{\"name\":\"ins\\u0009tructions,and\",\"u"
	"nit\":\"events\"}],\"threads\":[{\"pid\":7,\"tid\":7,\"name\":\"main\",\"ended"
	"\":false,\"dispatches\":100,\"interrupts\":10,\"values\":{\"cycles\":1000,\"in"
	"s\\u0009tructions,and\":500},\"in_interrupts\":{\"cycles\":250,\"ins\\u0009tru"
	"ctions,and\":125}},{\"pid\":7,\"tid\":17,\"name\":\"wor\\u000aker\",\"ended\":"
	"true,\"dispatches\":300,\"interrupts\":30,\"values\":{\"cycles\":3000,\"ins"
	"\\u0009tructions,and\":1500},\"in_interrupts\":{\"cycles\":750,\"ins\\u0009tru"
	"ctions,and\":375}}],\"earlier\":{\"threads\":4,\"sure\":false,\"dispatches\":4"
	"1,\"interrupts\":42,\"values\":{\"cycles\":43,\"ins\\u0009tructions,and\":44},"
	"\"in_interrupts\":{\"cycles\":45,\"ins\\u0009tructions,and\":46}},\"not_counte"
	"d\":47,\"cpus\":[{\"cpu\":0,\"online\":true,\"dispatches\":51,\"interrupts\":5"
	"2,\"steal_ns\":53,\"all\":{\"cycles\":10,\"ins\\u0009tructions,and\":50},\"thr"
	"eads\":{\"cycles\":1,\"ins\\u0009tructions,and\":11},\"other\":{\"cycles\":2,"
	"\"ins\\u0009tructions,and\":12},\"idle\":{\"cycles\":3,\"ins\\u0009tructions,a"
	"nd\":13},\"interrupts\":{\"cycles\":4,\"ins\\u0009tructions,and\":14},\"missin"
	"g\":[]},{\"cpu\":3,\"online\":false,\"dispatches\":61,\"interrupts\":62,\"stea"
	"l_ns\":63,\"all\":{\"cycles\":410,\"ins\\u0009tructions,and\":450},\"threads\""
	":{\"cycles\":101,\"ins\\u0009tructions,and\":111},\"other\":{\"cycles\":102,\""
	"ins\\u0009tructions,and\":112},\"idle\":{\"cycles\":103,\"ins\\u0009tructions,"
	"and\":113},\"interrupts\":{\"cycles\":104,\"ins\\u0009tructions,and\":114},\"m"
	"issing\":[\"ins\\u0009tructions,and\"]}],\"balanced\":true,\"threads_add_up\":"
	"true}\n";
static const char json_chosen[] =
	"{\"json_version\":1,\"interval\":3,\"elapsed_ns\":12003999999,\"cycles_per_sec"
	"ond\":2500000000,\"interrupts_charged\":true,\"note\":\"a \\\"note\\\"\",\"met"
	"rics\":[{\"name\":\"cycles\",\"unit\":\"cycles\"},{\"name\":\"instructions\","
	"\"unit\":\"events\"}],\"threads\":[{\"pid\":7,\"tid\":7,\"name\":\"main\",\"en"
	"ded\":false,\"dispatches\":100,\"interrupts\":10,\"values\":{\"cycles\":1000,"
	"\"instructions\":500},\"in_interrupts\":{\"cycles\":250,\"instructions\":125},"
	"\"cpi\":2.0000},{\"pid\":7,\"tid\":17,\"name\":\"wor\\u000aker\",\"ended\":tru"
	"e,\"dispatches\":300,\"interrupts\":30,\"values\":{\"cycles\":3000,\"instructi"
	"ons\":0},\"in_interrupts\":{\"cycles\":750,\"instructions\":375},\"cpi\":null}"
	"],\"cpus\":[{\"cpu\":0,\"online\":true,\"dispatches\":51,\"interrupts\":52,\"s"
	"teal_ns\":53,\"all\":{\"cycles\":10,\"instructions\":51},\"threads\":{\"cycles"
	"\":1,\"instructions\":11},\"other\":{\"cycles\":2,\"instructions\":12},\"idle"
	"\":{\"cycles\":3,\"instructions\":13},\"interrupts\":{\"cycles\":4,\"instructi"
	"ons\":14},\"missing\":[]}],\"balanced\":false,\"threads_add_up\":false}\n";
static const char json_plain[] = "{\n"
				 " \"json_version\": 1,\n"
				 " \"elapsed_ns\": 12003999999,\n"
				 " \"interrupts_charged\": false,\n"
				 " \"note\": \"\",\n"
				 " \"metrics\": [],\n"
				 " \"threads\": [],\n"
				 " \"earlier\": {\n"
				 "  \"threads\": 4,\n"
				 "  \"sure\": true,\n"
				 "  \"dispatches\": 41,\n"
				 "  \"interrupts\": 42,\n"
				 "  \"values\": {},\n"
				 "  \"in_interrupts\": {}\n"
				 " },\n"
				 " \"not_counted\": 47,\n"
				 " \"cpus\": [],\n"
				 " \"balanced\": true,\n"
				 " \"threads_add_up\": true\n"
				 "}\n";

static void json(void)
{
	struct dump d = counts(2);

	options = (struct ptt_options){ .form = FORM_JSON };
	rate = 2500000000;
	d.cpus = 2;
	d.rows = 2;
	row[1].t.ended = 1;
	cpu[1].missing = 2;
	d.interval = 3;
	d.torn = true;
	prints(&options, &d, all_json);
	cpu[0].wall[1]++;
	d.cpus = 1;
	d.rows = 2;
	d.charged = d.partly = true;
	d.whole = false;
	row[1].t.value[1] = 0;
	strcpy(d.info.metric[1], "instructions");
	strcpy(d.info.note, "a \"note\"");
	CU_ASSERT_TRUE(dump_cpi(&d));
	prints(&options, &d, json_chosen);
	/* One that is not of an interval is for people, too. */
	d = counts(0);
	d.rows = d.cpus = 0;
	rate = 0;
	prints(&options, &d, json_plain);
}

static const char all_csv[] =
	"pid,tid,name,ended,dispatches,interrupts,cycles,in interrupts,\"ins\\x09tructi"
	"ons,and\",in interrupts\n"
	"7,7,main,0,100,10,1000,250,500,125\n"
	"7,17,\"wor\\x0aker\",0,300,30,3000,750,1500,375\n"
	"8,8,idle,0,0,0,0,0,0,0\n"
	"9,9,\"a,\"\"b\",0,50,5,500,125,250,62\n"
	"7,27,late,1,60,6,600,150,300,75\n"
	",,earlier,1,41,42,43,45,44,46\n";
static const char csv_chosen[] =
	"pid,tid,name,ended,dispatches,interrupts,cycles,in interrupts,\"ins\\x09tructi"
	"ons,and\",in interrupts\n"
	"7,7,main,0,100,10,1000,250,500,125\n"
	"7,17,\"wor\\x0aker\",0,300,30,3000,750,1500,375\n"
	"8,8,idle,0,0,0,0,0,0,0\n"
	"9,9,\"a,\"\"b\",0,50,5,500,125,250,62\n"
	"7,27,late,1,60,6,600,150,300,75\n";
static const char csv_first[] =
	"interval,pid,tid,name,ended,dispatches,interrupts,cycles,in interrupts,instruc"
	"tions,in interrupts,cpi\n"
	"1,7,7,main,0,100,10,1000,250,500,125,2.0000\n"
	"1,,,earlier,1,41,42,43,45,44,46,0.9773\n";
static const char csv_second[] = "2,7,7,main,0,100,10,1000,250,0,125,\n"
				 "2,,,earlier,1,41,42,43,45,44,46,0.9773\n";
static const char csv_nobody_gone[] = "2,7,7,main,0,100,10,1000,250,0,125,\n";

static void csv(void)
{
	struct dump d = counts(2);

	options = (struct ptt_options){ .form = FORM_CSV };
	prints(&options, &d, all_csv);
	d.partly = true;
	prints(&options, &d, csv_chosen);
	/* One table for all intervals. */
	d.partly = false;
	d.rows = 1;
	d.interval = 1;
	strcpy(d.info.metric[1], "instructions");
	CU_ASSERT_TRUE(dump_cpi(&d));
	prints(&options, &d, csv_first);
	d.interval = 2;
	row[0].t.value[1] = 0;
	prints(&options, &d, csv_second);
	d.gone.threads = 0;
	prints(&options, &d, csv_nobody_gone);
}

/* The threads' cgroups: this process's, none of one that does not exist or has ended. */
static void cgroups(void)
{
	static const char want[] = "pid,tid,name,ended,dispatches,interrupts,cgroup\n"
				   "%d,%d,main,0,100,10,%s\n%d,17,wor,0,300,30,%s\n"
				   "999999999,8,idle,0,0,0,\n%d,9,late,1,50,5,\n"
				   ",,earlier,1,41,42,\n";
	struct dump d = counts(0);
	struct ptt_row *rows = malloc(sizeof(row));
	char path[PROC_CGROUP_ROOM], text[2 * sizeof(path) + 200];
	int pid = getpid(), unified;
	char *name;

	CU_ASSERT_FATAL(rows && proc_cgroup((uint32_t)pid, path, sizeof(path), &unified));
	thread(0, pid, pid, 1000, "main");
	thread(1, pid, 17, 3000, "wor");
	thread(2, 999999999, 8, 0, "idle");
	thread(3, pid, 9, 500, "late");
	row[3].t.ended = 1;
	d.row = memcpy(rows, row, sizeof(row));
	d.rows = 4;
	d.cpu = NULL;
	d.cpu_number = NULL;
	d.cpus = 0;
	CU_ASSERT_EQUAL_FATAL(dump_cgroups(&d), 0);
	CU_ASSERT_EQUAL(d.cgroups, 1); /* read once */
	name = cgroup_name(path);
	snprintf(text, sizeof(text), want, pid, pid, name, pid, name, pid);
	options = (struct ptt_options){ .form = FORM_CSV };
	prints(&options, &d, text);
	snprintf(text, sizeof(text),
		 "     PID      TID       DISP       INTR  NAME\n"
		 "%8d %8d        100         10  main in %s\n",
		 pid, pid, name);
	options = (struct ptt_options){ .form = FORM_WORDS };
	d.rows = 1;
	d.partly = true;
	strcat(text, "in 12.003 s\n");
	prints(&options, &d, text);
	free(name);
	dump_free(&d);
	CU_ASSERT_PTR_NULL(d.row);
}

/* Metrics are found by their kernel's and vendors' names, and must count the same code. */
static void cpi_metrics(void)
{
	static const struct {
		const char *first, *second, *third;
		int cycles, instructions;
	} cases[] = {
		{ "cycles", "instructions", "x", 0, 1 },
		{ "x", "INST_RETIRED:u", "CPU-Cycles:u", 2, 1 },
		{ "cycles:u", "instructions:k", "instructions:u", 0, 2 },
		{ "cycles:u", "instructions", "instructions:k", -1, -1 },
		{ "cycle", "instructions", "cycless", -1, -1 },
		{ "tsc", "instructions", "pm_cyc", 2, 1 },
		{ "cycles", "instruction", "x", -1, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dump d = counts(3);

		strcpy(d.info.metric[0], cases[i].first);
		strcpy(d.info.metric[1], cases[i].second);
		strcpy(d.info.metric[2], cases[i].third);
		CU_ASSERT_EQUAL(dump_cpi(&d), cases[i].cycles >= 0);
		CU_ASSERT_EQUAL(d.cpi[0], cases[i].cycles);
		CU_ASSERT_EQUAL(d.cpi[1], cases[i].instructions);
		/* Only those that are counted. */
		d.info.metrics = 2;
		CU_ASSERT_EQUAL(dump_cpi(&d), i == 0);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "processes", processes },
		{ "threads", threads },
		{ "cpus", cpus },
		{ "json", json },
		{ "csv", csv },
		{ "cgroups", cgroups },
		{ "cpi_metrics", cpi_metrics },
		{ NULL, NULL },
	};

	return unit_run("ptt_show", tests);
}
