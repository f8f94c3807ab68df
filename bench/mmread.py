# SPDX-License-Identifier: GPL-3.0-or-later
# mmread.py FILE - scipy's Matrix Market reader: processor seconds, and the nonzeros of the whole matrix.
import sys, time
from scipy.io import mmread

start = time.process_time()
A = mmread(sys.argv[1])
print("%.3f %d" % (time.process_time() - start, A.nnz))
