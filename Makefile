# SPDX-License-Identifier: GPL-3.0-or-later
# One makefile, no recursion except to change a whole configuration (GNU make 4).
#   make              tools in build/bin, manual pages in build/man
#   make check        unit, property and command-line tests, fuzz corpora, examples of the man pages
#   make asan         the same under ASan and UBSan, in build-asan
#   make valgrind     unit tests and fuzz corpora under valgrind
#   make fuzz         libFuzzer (clang), FUZZ_TIME seconds a target
#   make lint         cppcheck, gcc -fanalyzer, clang's analyzer, module boundaries, circles of calls, format
#   make format       clang-format on all C files
#   make bench        against other programs, ten minutes; bench-full: to 900,000 dofs (bench/README.md)
#   make coverage     gcov line coverage of lib/ and the readers, in build-cov
#   make mutate       change one operator at a time and see whether a test fails: FILES="export/*.c" SECONDS=600 SEED=1
#   make simulators   samples/simulators: link records in motion (libgsl-dev)
#   make mpi          reduce-mpi, on several machines (MPI and its MUMPS); make install-mpi
#   make install      honours DESTDIR, prefix, bindir, mandir, datadir, docdir; make uninstall
#   make dist         flexbody-VERSION.tar.gz, the same bytes from a clone and from an unpacked tarball
#   make distcheck    build, check and dist of the unpacked tarball

# Program and the folder of its sources.
PROGRAMS     := mnfparse reduce invariants correlate linkexport
TOOLS        := $(PROGRAMS) flexbatch
DIR_linkexport := export
DIR_flexbatch := batch
folder        = $(or $(DIR_$(1)),$(1))
DIRS         := $(foreach t,$(TOOLS),$(call folder,$(t)))

CC      ?= cc
CFLAGS  ?= -O2 -g
B       ?= build
PKGS    ?= hdf5-serial matio arpack zlib
# Whatever BLAS the machine has chosen (Debian: update-alternatives); lib/blas.c finds OpenBLAS' own functions itself.
BLAS_LIBS ?= -llapack -lblas
VERSION := $(shell cat VERSION)
WARN    ?= -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wwrite-strings -Wundef -Wformat=2 -Wvla -Werror
PKG_CPPFLAGS := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS     := $(shell pkg-config --libs $(PKGS))
# HDF5=static: HDF5 and matio within the programs. Debian's shared HDF5 brings curl and forty libraries, half of a start.
ifeq ($(HDF5),static)
PKG_LIBS     := $(patsubst -lhdf5,-l:libhdf5.a -lsz -ldl,$(patsubst -lmatio,-l:libmatio.a,$(PKG_LIBS)))
endif
# HDF5's functions as they were in 1.10: later headers keep them under this name.
API          := -D_XOPEN_SOURCE=700 -DH5_USE_110_API
ALL_CFLAGS    = -std=c11 $(API) $(WARN) $(SAN) $(CFLAGS) -Ilib $(PKG_CPPFLAGS) $(CPPFLAGS)
# No .pc of their own on Debian 12.
SPARSE_LIBS  := -lumfpack -lcholmod -lsuitesparseconfig -ldmumps_seq -lmetis -lpthread
# BLAS first: OpenBLAS has 14,000 of its own names looked up while it is loaded, through all that stand before it (1.5 ms).
ALL_LIBS      = $(BLAS_LIBS) $(PKG_LIBS) $(SPARSE_LIBS) -lm $(LIBS)

# Commands are shown in short; V=1 shows them whole.
ifeq ($(V),)
say = @echo '  $(1)  $@';
endif

# Many know it in capitals; a variable of the environment is not meant for us.
ifeq ($(origin PREFIX),command line)
prefix  := $(PREFIX)
endif
prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir  ?= $(datadir)/man
docdir  ?= $(datadir)/doc/flexbody
INSTALL ?= install

# Everything but the tools' main.c goes into one archive: tests and fuzzers link what the tools link.
CORE  := $(filter-out %/main.c,$(wildcard lib/*.c lib/*/*.c $(DIRS:%=%/*.c) $(DIRS:%=%/*/*.c)))
MESH  := $(wildcard bench/mesh/*.c)
UNIT  := $(wildcard tests/unit/*.c tests/prop/*.c tests/model/*.c) $(MESH)
FUZZ  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
GEN   := $(patsubst samples/%.c,%,$(wildcard samples/*.c))
BENCH := $(patsubst bench/%.c,%,$(wildcard bench/*.c))
o      = $(patsubst %.c,$(B)/obj/%.o,$(1))
BINS  := $(TOOLS:%=$(B)/bin/%)
COMPL := $(foreach t,$(TOOLS) $(GEN),$(B)/completion/$(t))
PAGES := $(foreach t,$(TOOLS) $(GEN),$(B)/man/$(t).1)
MANS  := $(PAGES) $(B)/man/flexbody.5 $(B)/man/flexbody.7

.PHONY: force need-gsl need-mpi all mpi programs samples simulators check unit cli replay asan valgrind fuzz lint format coverage mutate bench bench-full install uninstall check-install dist distcheck clean
.DELETE_ON_ERROR:
.PRECIOUS: $(B)/obj/%.o
all: programs $(MANS) $(COMPL)
programs: $(BINS) samples

$(B)/libflexbody.a: $(call o,$(CORE))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^
.SECONDEXPANSION:
$(BINS): $(B)/bin/%: $$(B)/obj/$$(call folder,$$*)/main.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LIBS)
# flexbatch has the main() of each program, under its own name.
$(B)/bin/flexbatch: $(PROGRAMS:%=$(B)/obj/batch/main_%.o)
$(PROGRAMS:%=$(B)/obj/batch/main_%.o): $(B)/obj/batch/main_%.o: $$(call folder,$$*)/main.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -Dmain=fb_program_$* -include batch/programs.h -MMD -MP -c -o $@ $<
$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/lib/cli.o: ALL_CFLAGS += -DFB_VERSION='"$(VERSION)"'
# Files that become part of the programs (lib/page.h). Debian's libjs-three; other places: THREE=DIR.
THREE    ?= $(patsubst %/three.min.js,%,$(firstword $(wildcard /usr/share/javascript/three/three.min.js /usr/share/nodejs/three/build/three.min.js)))
THREE_JS := $(THREE)/three.min.js
ORBIT_JS := $(THREE)/examples/js/controls/OrbitControls.js
$(B)/obj/lib/page.o: ALL_CFLAGS += -DFB_THREE_JS='"$(THREE_JS)"' -DFB_ORBIT_JS='"$(ORBIT_JS)"'
$(B)/obj/lib/page.o: $(THREE_JS) $(ORBIT_JS) $(wildcard lib/page/*)
$(B)/obj/export/html.o $(B)/obj/correlate/html.o: $(B)/obj/%/html.o: %/page.html
$(B)/obj/correlate/frf_html.o: correlate/frf.html
# Readers name headers from the folder mnfparse/, tests and benchmarks from the top.
$(B)/obj/mnfparse/%.o: ALL_CFLAGS += -Imnfparse
$(B)/obj/bench/%.o: ALL_CFLAGS += -I. -Imnfparse
$(B)/obj/tests/%.o: ALL_CFLAGS += -I. -Imnfparse -D_GNU_SOURCE -Wno-missing-prototypes -Wno-conversion -Wno-format-nonliteral -Wno-format-extra-args
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# Rebuild when the compiler, its flags or the version change, and only then.
FLAGS := $(CC) $(CFLAGS) $(CPPFLAGS) $(SAN) $(VERSION) $(HDF5)
$(B)/flags: force
	@mkdir -p $(@D); echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
force:

# reduce on several machines: MPI and its MUMPS (packages.txt, in [test]).
MPI_CFLAGS = $(shell mpicc --showme:compile)
MPI_LIBS   = -ldmumps $(shell mpicc --showme:link)
mpi: $(B)/bin/reduce-mpi $(B)/man/reduce-mpi.1 $(B)/completion/reduce-mpi
$(B)/bin/reduce-mpi: $(call o,$(wildcard mpi/*.c)) $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(filter-out -ldmumps_seq,$(ALL_LIBS)) $(MPI_LIBS)
$(B)/obj/mpi/%.o: ALL_CFLAGS += -I. $(MPI_CFLAGS)
$(call o,$(wildcard mpi/*.c)): | need-mpi
need-mpi:
	@command -v mpicc >/dev/null || { echo "make mpi wants MPI and MUMPS for it (Debian: libopenmpi-dev, libmumps-dev, openmpi-bin)" >&2; exit 1; }

# Samples: small generators, run by hand or by the tests (samples/README.md).
samples: $(GEN:%=$(B)/bin/%)
$(GEN:%=$(B)/bin/%): $(B)/bin/%: $(B)/obj/samples/%.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# They know HDF5, LAPACK and GSL alone, no header of ours.
SIMS     := ffr erls denoc
SIM_PKGS := hdf5-serial gsl
SIM_OBJ  := $(call o,$(filter-out $(SIMS:%=samples/simulators/%.c),$(wildcard samples/simulators/*.c)))
simulators: $(SIMS:%=$(B)/bin/%)
$(SIM_OBJ) $(SIMS:%=$(B)/obj/samples/simulators/%.o): | need-gsl
need-gsl:
	@pkg-config --exists $(SIM_PKGS) || { echo "make simulators wants GSL and HDF5 (Debian: libgsl-dev, libhdf5-dev)" >&2; exit 1; }
$(SIMS:%=$(B)/bin/%): $(B)/bin/%: $(B)/obj/samples/simulators/%.o $(SIM_OBJ)
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lhdf5_hl $$(pkg-config --libs $(SIM_PKGS)) $(BLAS_LIBS) -lm
$(B)/obj/samples/simulators/%.o: ALL_CFLAGS = -std=c11 $(API) $(WARN) $(SAN) $(CFLAGS) $$(pkg-config --cflags $(SIM_PKGS)) $(CPPFLAGS)

# The OPTIONS and DATASETS sections come from the tools' own tables: they cannot drift.
$(B)/man/%.1: man/%.1.in $(B)/bin/%
	@mkdir -p $(@D)
	$(B)/bin/$* --man-options > $@.opt
	sed -e '/@OPTIONS@/{r $@.opt' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' $< > $@
$(B)/man/%: man/%.in $(B)/bin/mnfparse
	@mkdir -p $(@D)
	$(B)/bin/mnfparse --man-datasets > $@.opt
	sed -e '/@DATASETS@/{r $@.opt' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' $< > $@

$(B)/completion/%: completion/tool.bash.in $(B)/bin/%
	@mkdir -p $(@D)
	$(B)/bin/$* --complete-options > $(B)/$*.options
	sed -e 's/@TOOL@/$*/g' -e '/@OPTIONS@/{r $(B)/$*.options' -e 'd;}' $< > $@

check: unit replay cli check-install
unit: $(B)/bin/unit
	FB_SHARED="$${FB_SHARED-$(CURDIR)/../shared}" $(RUN) $(B)/bin/unit
$(B)/bin/unit: $(call o,$(UNIT)) $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS) $$(pkg-config --libs check)
cli: all $(B)/fault.so $(if $(shell command -v mpicc),mpi) $(if $(shell pkg-config --exists gsl && echo yes),simulators)
	FB_SHARED="$${FB_SHARED-$(CURDIR)/../shared}" PATH="$(CURDIR)/$(B)/bin:$$PATH" MAN="$(CURDIR)/$(B)/man" COMPLETION="$(CURDIR)/$(B)/completion" FAULT_LIB="$(CURDIR)/$(B)/fault.so" tests/cli/run
# Lets the system fail a tool; no sanitizer and no counters of coverage in it.
$(B)/fault.so: tests/fault.c $(B)/flags
	$(call say,LD)$(CC) -std=c11 -O1 -g $(WARN) -Wno-missing-prototypes -shared -fPIC -o $@ $< -ldl
replay: $(FUZZ:%=$(B)/bin/replay_%)
	set -e; for f in $(FUZZ); do $(RUN) $(B)/bin/replay_$$f tests/fuzz/corpus/$$f; done
$(B)/bin/replay_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/replay.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# Counts that overflow are asked of the allocator, which must say no.
asan:
	ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/tests/lsan.supp $(MAKE) check B=build-asan SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' CFLAGS='-O1 -g'
# What valgrind frees of the C library at the end of a forked child moves the files that its parent reads.
valgrind:
	CK_FORK=no CK_EXCLUDE_TAGS=slow $(MAKE) unit replay RUN='valgrind -q --leak-check=full --run-libc-freeres=no --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 --suppressions=tests/valgrind.supp'
FUZZ_TIME ?= 20
fuzz:
	$(MAKE) $(FUZZ:%=build-fuzz/bin/fuzz_%) B=build-fuzz CC=clang SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' CFLAGS='-O1 -g'
	set -e; for f in $(FUZZ); do mkdir -p build-fuzz/corpus/$$f; build-fuzz/bin/fuzz_$$f -max_total_time=$(FUZZ_TIME) -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=$(CURDIR)/build-fuzz/ build-fuzz/corpus/$$f tests/fuzz/corpus/$$f; done
build-fuzz/bin/fuzz_%: build-fuzz/obj/tests/fuzz/fuzz_%.o build-fuzz/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

lint:
	cppcheck -q --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem -Ilib -Imnfparse lib $(DIRS) samples
	$(MAKE) $(CORE:%.c=build-lint/obj/%.o) B=build-lint CC=gcc CFLAGS='-O1 -fanalyzer'
	clang-tidy -quiet -checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized' -warnings-as-errors='*' $(CORE) -- -std=c11 $(API) -Ilib -Imnfparse $(PKG_CPPFLAGS)
	tests/boundaries
	tests/circles build-lint
	$(FORMAT) --dry-run -Werror $(SOURCES)
# One version formats: others break lines elsewhere. Debian 12 and 13 have it (package clang-format-19).
FORMAT  ?= clang-format-19
SOURCES = $(shell find lib $(DIRS) mpi samples bench tests -name '*.[ch]')
format:
	$(FORMAT) -i $(SOURCES)

coverage:
	$(MAKE) unit cli replay B=build-cov CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage
	tests/coverage build-cov

mutate:
	FILES='$(FILES)' SEED='$(or $(SEED),1)' COUNT='$(or $(COUNT),100000)' tests/mutate $(or $(SECONDS),600)

bench bench-full: all $(BENCH:%=$(B)/bin/%)
	PATH="$(CURDIR)/$(B)/bin:$$PATH" BENCH_OUT="$${BENCH_OUT-$(CURDIR)/$(B)/bench}" $(if $(filter bench-full,$@),BENCH_FULL=1) bench/run $(SECTION)
$(BENCH:%=$(B)/bin/%): $(B)/bin/%: $(B)/obj/bench/%.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
# The meshes want the archive behind them.
$(B)/bin/mesh: $(call o,$(MESH))
$(B)/bin/mesh: PKG_LIBS := $(B)/libflexbody.a $(PKG_LIBS)

# What goes where, for install and uninstall: FOLDER:MODE:FILES.
COMPLETIONS := $(datadir)/bash-completion/completions
DOCS     := README.md CHANGELOG.md CONTRIBUTING.md LICENSE docs/decisions.md docs/numbers.md
SAMPLES  := $(sort $(wildcard samples/*.md samples/*.mnf samples/*.sh samples/*.c))
SIMULATORS := $(sort $(wildcard samples/simulators/*.[ch] samples/simulators/*.sh samples/simulators/*.md))
CHAINS   := $(sort $(wildcard samples/simulators/chains/*.txt))
put       = $(INSTALL) -d '$(DESTDIR)$(1)' && $(INSTALL) -m $(2) $(3) '$(DESTDIR)$(1)'
take      = rm -f $(foreach f,$(notdir $(2)),'$(DESTDIR)$(1)/$(f)')
install: all
	$(call put,$(bindir),755,$(BINS) $(GEN:%=$(B)/bin/%))
	$(call put,$(mandir)/man1,644,$(PAGES))
	$(call put,$(mandir)/man5,644,$(B)/man/flexbody.5)
	$(call put,$(mandir)/man7,644,$(B)/man/flexbody.7)
	$(call put,$(COMPLETIONS),644,$(COMPL))
	$(call put,$(docdir),644,$(DOCS))
	$(call put,$(docdir)/examples,644,$(SAMPLES))
	$(call put,$(docdir)/examples/lshape,644,samples/lshape/*.sh)
	$(call put,$(docdir)/examples/simulators,644,$(SIMULATORS))
	$(call put,$(docdir)/examples/simulators/chains,644,$(CHAINS))
	@if [ -x $(B)/bin/reduce-mpi ]; then echo 'reduce-mpi goes by itself: make install-mpi'; fi
install-mpi: mpi
	$(call put,$(bindir),755,$(B)/bin/reduce-mpi)
	$(call put,$(mandir)/man1,644,$(B)/man/reduce-mpi.1)
	$(call put,$(COMPLETIONS),644,$(B)/completion/reduce-mpi)
uninstall:
	$(call take,$(bindir),$(BINS) $(GEN) reduce-mpi)
	$(call take,$(mandir)/man1,$(PAGES) reduce-mpi.1)
	$(call take,$(mandir)/man5,flexbody.5)
	$(call take,$(mandir)/man7,flexbody.7)
	$(call take,$(COMPLETIONS),$(COMPL) reduce-mpi)
	$(call take,$(docdir),$(DOCS))
	$(call take,$(docdir)/examples,$(SAMPLES))
	$(call take,$(docdir)/examples/lshape,$(wildcard samples/lshape/*.sh))
	$(call take,$(docdir)/examples/simulators,$(SIMULATORS))
	$(call take,$(docdir)/examples/simulators/chains,$(CHAINS))
	for d in '$(docdir)/examples/lshape' '$(docdir)/examples/simulators/chains' '$(docdir)/examples/simulators' '$(docdir)/examples' '$(docdir)'; do if [ -d "$(DESTDIR)$$d" ]; then rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$d"; fi; done
check-install: all
	MAKE='$(MAKE)' tests/install

# The tracked files; in an unpacked tarball those that are no product. Times are the commit's, which tar keeps for the
# next one: same files, same bytes. In a clone only git knows which files are the project's: without it nothing is made.
DIST  := flexbody-$(VERSION)
ifneq ($(wildcard .git),)
LIST   = git ls-files
STAMP  = git log -1 --format=%ct
else
LIST   = find . -type f ! -path './build*' ! -name '$(DIST).*' ! -path './debian/*flexbody*' ! -path './debian/files' ! -path './debian/.debhelper/*' ! -name debhelper-build-stamp
STAMP  = stat -c %Y VERSION
endif
dist:
	$(LIST) >$(DIST).list && t=$${SOURCE_DATE_EPOCH:-$$($(STAMP))} && [ -n "$$t" ] && \
	    sed 's,^\./,,' $(DIST).list | LC_ALL=C sort >$(DIST).files && \
	    tar -cf $(DIST).tar --format=ustar --transform 's,^,$(DIST)/,' --mtime=@$$t --owner=0 --group=0 --numeric-owner \
	        --mode=u=rwX,go=rX -T $(DIST).files && gzip -9nf $(DIST).tar; s=$$?; rm -f $(DIST).list $(DIST).files; \
	    [ $$s -eq 0 ] || { rm -f $(DIST).tar $(DIST).tar.gz; echo 'make dist: no tarball; in a clone git must say which files are tracked' >&2; exit 1; }
distcheck: dist
	tests/distcheck $(CURDIR)/$(DIST).tar.gz
clean:
	rm -rf build build-asan build-fuzz build-lint build-cov build-mutate
