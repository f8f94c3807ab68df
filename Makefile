# SPDX-License-Identifier: GPL-3.0-or-later
# One makefile, no recursion except to change a whole configuration (GNU make 4).
#   make              tools in build/bin, manual pages in build/man
#   make check        unit, property and command-line tests, fuzz corpora, examples of the man pages
#   make asan         the same under ASan and UBSan, in build-asan
#   make valgrind     unit tests and fuzz corpora under valgrind
#   make fuzz         libFuzzer (clang), FUZZ_TIME seconds a target
#   make lint         cppcheck, gcc -fanalyzer, clang's analyzer, module boundaries
#   make coverage     gcov line coverage of lib/ and the readers, in build-cov
#   make install      honours DESTDIR, prefix, bindir, mandir

# Program and the folder of its sources.
TOOLS        := mnfparse reduce invariants correlate linkexport
DIR_linkexport := export
folder        = $(or $(DIR_$(1)),$(1))
DIRS         := $(foreach t,$(TOOLS),$(call folder,$(t)))

CC      ?= cc
CFLAGS  ?= -O2 -g
B       ?= build
PKGS    ?= hdf5-serial arpack matio openblas
VERSION := $(shell cat VERSION)
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wwrite-strings -Wundef -Wformat=2 -Wvla -Werror
PKG_CPPFLAGS := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS     := $(shell pkg-config --libs $(PKGS))
ALL_CFLAGS    = -std=c11 -D_XOPEN_SOURCE=700 $(WARN) $(SAN) $(CFLAGS) -Ilib $(PKG_CPPFLAGS) $(CPPFLAGS)
# No .pc of their own on Debian 12. libgomp: factor.c keeps CHOLMOD's OpenMP threads from spinning.
SPARSE_LIBS  := -lcholmod -lsuitesparseconfig -ldmumps_seq -lmetis -lgomp -lpthread
ALL_LIBS      = $(PKG_LIBS) $(SPARSE_LIBS) -lm $(LIBS)

# Commands are shown in short; V=1 shows them whole.
ifeq ($(V),)
say = @echo '  $(1)  $@';
endif

prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
mandir  ?= $(prefix)/share/man
INSTALL ?= install

# Everything but the tools' main.c goes into one archive: tests and fuzzers link what the tools link.
CORE  := $(filter-out %/main.c,$(wildcard lib/*.c $(DIRS:%=%/*.c)))
UNIT  := $(wildcard tests/unit/*.c tests/prop/*.c tests/model/*.c)
FUZZ  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
GEN   := $(patsubst samples/%.c,%,$(wildcard samples/*.c))
BENCH := $(patsubst bench/%.c,%,$(wildcard bench/*.c))
o      = $(patsubst %.c,$(B)/obj/%.o,$(1))
BINS  := $(TOOLS:%=$(B)/bin/%)
MANS  := $(TOOLS:%=$(B)/man/%.1) $(B)/man/flexbody.5 $(B)/man/flexbody.7

.PHONY: force all samples check unit cli replay asan valgrind fuzz lint coverage bench install clean
.DELETE_ON_ERROR:
.PRECIOUS: $(B)/obj/%.o
all: $(BINS) $(MANS) samples

$(B)/libflexbody.a: $(call o,$(CORE))
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^
.SECONDEXPANSION:
$(BINS): $(B)/bin/%: $$(B)/obj/$$(call folder,$$*)/main.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/lib/cli.o: ALL_CFLAGS += -DFB_VERSION='"$(VERSION)"'
$(B)/obj/bench/%.o: ALL_CFLAGS += -I.
$(B)/obj/tests/%.o: ALL_CFLAGS += -I. -D_GNU_SOURCE -Wno-missing-prototypes -Wno-conversion -Wno-format-nonliteral -Wno-format-extra-args
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# Rebuild when the compiler, its flags or the version change, and only then.
FLAGS := $(CC) $(CFLAGS) $(CPPFLAGS) $(SAN) $(VERSION)
$(B)/flags: force
	@mkdir -p $(@D); echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
force:

# Samples: small generators, run by hand or by the tests (samples/README.md).
samples: $(GEN:%=$(B)/bin/%)
$(GEN:%=$(B)/bin/%): $(B)/bin/%: $(B)/obj/samples/%.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# The OPTIONS and DATASETS sections come from the tools' own tables: they cannot drift.
$(B)/man/%.1: man/%.1.in $(B)/bin/%
	@mkdir -p $(@D)
	$(B)/bin/$* --man-options > $@.opt
	sed -e '/@OPTIONS@/{r $@.opt' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' $< > $@
$(B)/man/%: man/%.in $(B)/bin/mnfparse
	@mkdir -p $(@D)
	$(B)/bin/mnfparse --man-datasets > $@.opt
	sed -e '/@DATASETS@/{r $@.opt' -e 'd;}' -e 's/@VERSION@/$(VERSION)/' $< > $@

check: unit replay cli
unit: $(B)/bin/unit
	FB_SHARED="$${FB_SHARED-$(CURDIR)/../shared}" $(RUN) $(B)/bin/unit
$(B)/bin/unit: $(call o,$(UNIT)) $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS) $$(pkg-config --libs check)
cli: all $(B)/fault.so
	FB_SHARED="$${FB_SHARED-$(CURDIR)/../shared}" PATH="$(CURDIR)/$(B)/bin:$$PATH" MAN="$(CURDIR)/$(B)/man" FAULT_LIB="$(CURDIR)/$(B)/fault.so" tests/cli/run
# Lets the system fail a tool; no sanitizer and no counters of coverage in it.
$(B)/fault.so: tests/fault.c $(B)/flags
	$(call say,LD)$(CC) -std=c11 -O1 -g $(WARN) -Wno-missing-prototypes -shared -fPIC -o $@ $< -ldl
replay: $(FUZZ:%=$(B)/bin/replay_%)
	set -e; for f in $(FUZZ); do $(RUN) $(B)/bin/replay_$$f tests/fuzz/corpus/$$f; done
$(B)/bin/replay_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/replay.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

asan:
	LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/tests/lsan.supp $(MAKE) check B=build-asan SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' CFLAGS='-O1 -g'
valgrind:
	CK_FORK=no CK_EXCLUDE_TAGS=slow $(MAKE) unit replay RUN='valgrind -q --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 --suppressions=tests/valgrind.supp'
FUZZ_TIME ?= 20
fuzz:
	$(MAKE) $(FUZZ:%=build-fuzz/bin/fuzz_%) B=build-fuzz CC=clang SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' CFLAGS='-O1 -g'
	set -e; for f in $(FUZZ); do mkdir -p build-fuzz/corpus/$$f; build-fuzz/bin/fuzz_$$f -max_total_time=$(FUZZ_TIME) -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=$(CURDIR)/build-fuzz/ build-fuzz/corpus/$$f tests/fuzz/corpus/$$f; done
build-fuzz/bin/fuzz_%: build-fuzz/obj/tests/fuzz/fuzz_%.o build-fuzz/libflexbody.a
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

lint:
	cppcheck -q --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem -Ilib lib $(DIRS) samples
	$(MAKE) $(CORE:%.c=build-lint/obj/%.o) B=build-lint CC=gcc CFLAGS='-O1 -fanalyzer'
	clang-tidy -quiet -checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized' -warnings-as-errors='*' $(CORE) -- -std=c11 -D_XOPEN_SOURCE=700 -Ilib $(PKG_CPPFLAGS)
	tests/boundaries

coverage:
	$(MAKE) unit cli replay B=build-cov CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage
	tests/coverage build-cov

bench: all $(BENCH:%=$(B)/bin/%)
	PATH="$(CURDIR)/$(B)/bin:$$PATH" bench/run $(SECTION)
$(BENCH:%=$(B)/bin/%): $(B)/bin/%: $(B)/obj/bench/%.o $(B)/libflexbody.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
# The block comes from the models of the tests, which want the archive behind them.
$(B)/bin/block: $(call o,$(wildcard tests/model/*.c))
$(B)/bin/block: PKG_LIBS := $(B)/libflexbody.a $(PKG_LIBS)

install: all
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 $(DESTDIR)$(mandir)/man7
	$(INSTALL) -m 755 $(BINS) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 $(TOOLS:%=$(B)/man/%.1) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 $(B)/man/flexbody.5 $(DESTDIR)$(mandir)/man5
	$(INSTALL) -m 644 $(B)/man/flexbody.7 $(DESTDIR)$(mandir)/man7
clean:
	rm -rf build build-asan build-fuzz build-lint build-cov
