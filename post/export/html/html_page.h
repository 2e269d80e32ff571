/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page's own code (viewer/), as of the build of post: the data are written between its two
 * halves. */
#ifndef POST_HTML_PAGE_H
#define POST_HTML_PAGE_H

#include <stddef.h>

extern const unsigned char html_page_head[], html_page_tail[];
extern const size_t html_page_head_size, html_page_tail_size;

#endif
