#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# correlate.sh [DOFS [MODES]] - MAC, NCO and CO of MODES x MODES shapes over DOFS dofs against the bare matrix product of
# that size; `criteria` is in PATH (make bench). Default 300,000 and 500: 2.3 GiB of shapes.
criteria --dofs "${1:-300000}" --modes "${2:-500}"
