# The main job: three tools, one HDF5 file, the order and the mass as they must be.
mnfparse "$DATA/../../samples/beam.mnf" | reduce --cb 18 | invariants >link.h5 &&
h5dump -H -d /reduced/K link.h5 | grep -m1 DATASPACE &&
h5dump -d /invariants/I1 -m %.6f link.h5 | grep -m1 '(0)'
