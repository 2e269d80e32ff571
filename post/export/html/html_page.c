/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page's files, combined by viewer/embed. */
#include "export/html/html_page.h"

const unsigned char html_page_head[] = {
#include "page_head.inc"
};
const size_t html_page_head_size = sizeof(html_page_head);

const unsigned char html_page_tail[] = {
#include "page_tail.inc"
};
const size_t html_page_tail_size = sizeof(html_page_tail);
