# SPDX-License-Identifier: GPL-3.0-or-later
# mmread.py FILE - scipy's Matrix Market reader: seconds and entries.
import sys, time
from scipy.io import mmread

start = time.perf_counter()
A = mmread(sys.argv[1])
print("%.3f %d" % (time.perf_counter() - start, A.nnz))
