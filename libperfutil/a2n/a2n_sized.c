/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses, for programs whose structs are of another size: base/sized.h. */
#include <a2n.h>
#include "base/sized.h"

#undef a2n_resolve
#undef a2n_code

void a2n_resolve_sized(struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
		       struct a2n_answer *answer, size_t size)
{
	struct a2n_answer own;

	whole_a2n_resolve(a, pid, time, address, kernel,
			  sized_place(answer, size, &own, sizeof(own)));
	sized_give(answer, size, &own, sizeof(own));
}

FIRST(void, a2n_resolve, struct a2n *a, uint32_t pid, uint64_t time, uint64_t address, bool kernel,
      struct a2n_answer *answer)
{
	a2n_resolve_sized(a, pid, time, address, kernel, answer, UP_TO(struct a2n_answer, code));
}

bool a2n_code_sized(const struct a2n *a, uint64_t module_offset, struct a2n_code *code, size_t size)
{
	struct a2n_code own;
	bool rc = whole_a2n_code(a, module_offset, sized_place(code, size, &own, sizeof(own)));

	if (rc)
		sized_give(code, size, &own, sizeof(own));
	return rc;
}

FIRST(bool, a2n_code, const struct a2n *a, uint64_t module_offset, struct a2n_code *code)
{
	return a2n_code_sized(a, module_offset, code, UP_TO(struct a2n_code, bytes));
}
