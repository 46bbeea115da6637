# Builds libusher, usher-producer, usher-worker, usher-dashboard and their tests; see `make help`.
# Nothing is listed by hand: producer/*/*.c is libusher, but for producer/program/*.c, which is usher-producer, and
# producer/examples/*.c, each a program of its own, and producer/http/*.c, which programs that serve HTTP are linked with;
# worker/main.c and worker/*/*.c are usher-worker, worker/dashboard/*.c with the folders that it may know usher-dashboard, tests/demo/*.c is the demo, tests/bench/load/*.c the load generator,
# each folder of tests/unit is a program, every tests/bench/*.c and tests/integration/*.c is one of its own, and
# tests/support/*.c is shared by the tests.

VERSION   := 0.1.0
DATE      := November 22, 2026
SOVERSION := 0

BUILD    ?= build
SANITIZE ?=
WERROR   ?=
WORKERS  ?= 1
RUNS     ?= 3
ROUNDS   ?= 3
MINUTES  ?= 5
SECONDS  ?= 60
RATE     ?= 1000
SEED     ?=
KEEP     ?=
CRASH_AT ?=
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
DESTDIR  ?=

# One line per file; V=1 shows the commands themselves.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2))

comma := ,
quote  = '$(subst ','\'',$(1))'

# One folder of objects for each way of building, so that they never mix.
MODE := $(if $(SANITIZE),$(subst $(comma),-,$(SANITIZE)),release)
MODE := $(patsubst address-undefined,asan,$(patsubst address,asan,$(patsubst thread,tsan,$(MODE))))
OUT  := $(BUILD)/$(MODE)

# ---- flags -----------------------------------------------------------------------------------------
CFLAGS ?= $(if $(SANITIZE),-O1,-O2) -g

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
    -Wmissing-prototypes -Wformat=2 -Wundef -Wcast-qual -Wwrite-strings -Wswitch-enum -Wvla \
    -Wimplicit-fallthrough $(if $(filter-out 0,$(WERROR)),-Werror)

# The sanitizers bring their own checks of the string functions, and need every frame.
HARDENING := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
    -fno-omit-frame-pointer,-fstack-protector-strong \
    $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))

# Whether a worker asserts after each batch that its units are those of its bookings (inventory_check), which takes the
# longer the more there are: with the sanitizers.
CHECKED := $(if $(SANITIZE),1,0)

# Asked of pkg-config when the first object is made: by then the packages are there.
PACKAGES   := rdkafka libpq hiredis libmicrohttpd libssl libcrypto cmocka
# hiredis has TLS from 1.0 on; `deploy/hiredis PREFIX` builds one where the distribution's has not.
REDIS_TLS   = $(eval REDIS_TLS := $$(shell pkg-config --exists 'hiredis_ssl >= 1.0' && echo 1 || echo 0))$(REDIS_TLS)
HIREDIS     = $(if $(filter 1,$(REDIS_TLS)),hiredis_ssl) hiredis
PC_CFLAGS   = $(eval PC_CFLAGS := $$(patsubst -I%,-isystem%,$$(shell pkg-config --cflags $(PACKAGES))))$(PC_CFLAGS)
LIB_LIBS    = $(eval LIB_LIBS := $$(shell pkg-config --libs rdkafka libcrypto))$(LIB_LIBS)
WORKER_LIBS = $(eval WORKER_LIBS := $$(shell pkg-config --libs libpq $(HIREDIS) libmicrohttpd libssl))$(WORKER_LIBS)
CRYPTO_LIBS = $(eval CRYPTO_LIBS := $$(shell pkg-config --libs libcrypto))$(CRYPTO_LIBS)
TEST_LIBS   = $(eval TEST_LIBS := $$(shell pkg-config --libs cmocka))$(TEST_LIBS)

USHER_CPPFLAGS = -Iinclude -I. -Itests/support -I$(OUT)/generated $(PC_CFLAGS) \
    -isystem producer/yyjson -DYYJSON_DISABLE_NON_STANDARD=1 -DYYJSON_DISABLE_UTILS=1 \
    -D_GNU_SOURCE -DUSHER_VERSION='"$(VERSION)"' -DUSHER_REDIS_TLS=$(REDIS_TLS) -DUSHER_CHECKED=$(CHECKED) -UNDEBUG
USHER_CFLAGS   = -std=c11 -fPIC -pthread $(WARNINGS) $(HARDENING)
COMPILE        = $(CC) $(USHER_CPPFLAGS) $(CPPFLAGS) $(USHER_CFLAGS) $(CFLAGS)
LINK           = $(CC) $(USHER_CFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed

# ---- what there is ---------------------------------------------------------------------------------
object = $(patsubst %.c,$(OUT)/%.o,$(1))

LIB_OBJECTS      := $(call object,$(filter-out producer/program/% producer/examples/% producer/http/%,$(wildcard producer/*/*.c)))
HTTP_OBJECTS     := $(call object,$(wildcard producer/http/*.c))
PRODUCER_OBJECTS := $(call object,$(wildcard producer/program/*.c))
WORKER_MAIN      := $(call object,$(wildcard worker/main.c))
DASHBOARD_MAIN   := $(call object,$(wildcard worker/dashboard/main.c))
WORKER_OBJECTS   := $(filter-out $(DASHBOARD_MAIN),$(call object,$(wildcard worker/*/*.c)))
# All that the dashboard may be made of: the linker refuses one that needs Kafka, or decides.
DASHBOARD_OBJECTS := $(filter-out $(DASHBOARD_MAIN),$(call object,$(wildcard \
    $(foreach folder,dashboard redis postgres observe model base,worker/$(folder)/*.c))))
MANUAL_OBJECTS   := $(call object,$(wildcard deploy/manual/*.c))
CONTRACT_OBJECTS := $(call object,$(wildcard deploy/contract/*.c))
C_EXAMPLES       := $(patsubst %.c,$(OUT)/%,$(wildcard producer/examples/*.c))
DEMO_OBJECTS     := $(call object,$(wildcard tests/demo/*.c))
LOAD_OBJECTS     := $(call object,$(wildcard tests/bench/load/*.c))
SUPPORT_OBJECTS  := $(call object,$(wildcard tests/support/*.c))
UNIT_FOLDERS     := $(patsubst tests/unit/%/,%,$(sort $(dir $(wildcard tests/unit/*/*.c))))
UNIT_PROGRAMS    := $(UNIT_FOLDERS:%=$(OUT)/tests/unit/test_%)
STACK_PROGRAMS   := $(patsubst %.c,$(OUT)/%,$(wildcard tests/integration/*.c))
FUZZ_PROGRAMS    := $(patsubst %.c,$(OUT)/%,$(wildcard tests/fuzz/*.c))
BENCH_PROGRAMS   := $(patsubst %.c,$(OUT)/%,$(wildcard tests/bench/*.c))
SINGLE_PROGRAMS  := $(STACK_PROGRAMS) $(BENCH_PROGRAMS)
TEST_PROGRAMS    := $(UNIT_PROGRAMS) $(SINGLE_PROGRAMS)
SIM_PROGRAMS     := $(OUT)/tests/sim/sim $(OUT)/tests/sim/record_calls
SIM_OBJECTS      := $(filter-out %/main.o %/record_calls.o,$(call object,$(wildcard tests/sim/*.c)))
LATER            := $(OUT)/tests/later
C11_THREADS      := $(if $(filter thread,$(SANITIZE)),$(OUT)/tests/tsan/c11_threads.o)

# Texts that the programs carry with them, as C: `-- name: take` of worker/postgres/sql/commit.sql is `commit_take_sql` of "postgres_sql.h".
MIGRATIONS := $(sort $(wildcard schema/postgres/*.sql))
SQL        := $(sort $(wildcard worker/postgres/sql/*.sql))
LUA        := $(sort $(wildcard worker/redis/*.lua))
PAGE       := $(sort $(wildcard worker/dashboard/page/*))
PAGE_GZIP  := $(PAGE:worker/dashboard/page/%=$(OUT)/generated/page/%.gz)
EMBEDDED   := $(addprefix $(OUT)/generated/,migrations.inc postgres_sql.h redis_lua.h runbook.h dashboard_page.inc)

# The commit that is built, with + where files differ from it: of a source archive, which has it in .commit, or of git.
# COMMIT= tells it where neither is there.
ARCHIVED = sed -n -E 's/^([0-9a-f]{10})[0-9a-f]*(\+?)$$/\1\2/p' .commit
GIT      = GIT_OPTIONAL_LOCKS=0 git -c safe.directory='*'
COMMIT   = $(eval COMMIT := $$(or $$(shell $$(ARCHIVED)),$$(if $$(wildcard .git),$$(shell \
    $$(GIT) rev-parse --short=10 HEAD)$$(if $$(shell $$(GIT) status --porcelain -uno),+))))$(COMMIT)

LIBUSHER   := $(if $(LIB_OBJECTS),$(OUT)/libusher.a)
LIBWORKER  := $(if $(WORKER_OBJECTS),$(OUT)/libworker.a)
LIBDASHBOARD := $(if $(DASHBOARD_OBJECTS),$(OUT)/libdashboard.a)
LIBSUPPORT := $(if $(SUPPORT_OBJECTS),$(OUT)/libsupport.a)
RULES      := $(OUT)/deploy/monitoring/rules.yaml
SHARED     := $(if $(LIB_OBJECTS),$(OUT)/libusher.so)
PROGRAMS   := $(if $(PRODUCER_OBJECTS),$(OUT)/usher-producer) $(if $(WORKER_MAIN),$(OUT)/usher-worker) \
    $(if $(DASHBOARD_MAIN),$(OUT)/usher-dashboard)
MANUAL     := $(addprefix $(OUT)/deploy/manual/,$(foreach p,producer worker dashboard,$(addprefix usher-$p.,man bash zsh fish)))
DEMO       := $(if $(DEMO_OBJECTS),$(OUT)/tests/demo/demo)
LOAD       := $(if $(LOAD_OBJECTS),$(OUT)/tests/bench/load/load)

.DEFAULT_GOAL := programs
.DELETE_ON_ERROR:
.PHONY: all programs manual contract monitoring check test test-all unit integration smoke model mutants demo up down bench bench-full \
    bench-results bench-broker bench-dashboard bench-slowest chaos drills sim fuzz test-security fill-up deb test-deb lint lint-ready lint-kubernetes image test-image format docs \
    release install uninstall clean help packages FORCE

programs: $(LIBUSHER) $(SHARED) $(PROGRAMS) $(if $(LIB_OBJECTS),$(OUT)/usher.pc) ## build the library and the programs: the default

all: programs $(TEST_PROGRAMS) $(C_EXAMPLES) $(DEMO) $(LOAD) ## build these and all programs of tests

# What an editor needs to understand the sources.
compile_commands.json: $(OUT)/flags FORCE | $(EMBEDDED) $(BUILT)
	@/usr/bin/python3 -c 'import json, sys; print(json.dumps([{"directory": sys.argv[1], "file": file, "command": \
	    f"{sys.argv[2]} -c {file}"} for file in sys.argv[3:]], indent=1))' '$(CURDIR)' $(call quote,$(COMPILE)) \
	    $(filter-out producer/yyjson/%,$(wildcard $(foreach tree,producer worker deploy tests,$(tree)/*.c $(tree)/*/*.c $(tree)/*/*/*.c))) >$@

manual: $(MANUAL) ## write the manual pages and the completions for bash, zsh and fish

contract: $(OUT)/deploy/contract/contract ## print the rows of the contract into schema/messages and the pages that repeat them
	@$< && schema/types

monitoring: $(RULES) ## write the alerts as Prometheus itself reads them

# ---- how it is made --------------------------------------------------------------------------------
# Writes to the target what a command prints, where that is something else than before. Without a file in between: two may
# build at once, as the tests and lint do.
renew = mkdir -p $(@D) && { $(1) | cmp -s - $@ || $(1) >$@; }

# A change of flags rebuilds everything; the same flags touch nothing.
$(OUT)/flags: FORCE
	@$(call renew,printf '%s\n' $(call quote,$(COMPILE)))

# The folder is a prerequisite, too: it changes with a file that is added or removed.
$(OUT)/generated/migrations.inc: schema/postgres $(MIGRATIONS)
$(OUT)/generated/postgres_sql.h: worker/postgres/sql $(SQL)
$(OUT)/generated/redis_lua.h: worker/redis $(LUA)
$(OUT)/generated/runbook.h: deploy/runbook.md
$(OUT)/generated/dashboard_page.inc: worker/dashboard/page $(PAGE) $(PAGE_GZIP)
$(EMBEDDED): schema/embed
	@mkdir -p $(@D)
	@schema/embed $(if $(filter %.h,$@),constants,$(if $(filter %page.inc,$@),pages,rows)) $(filter %.sql %.lua %.md $(PAGE) $(PAGE_GZIP),$^) >$@

$(PAGE_GZIP): $(OUT)/generated/page/%.gz: worker/dashboard/page/%
	@mkdir -p $(@D)
	@gzip -9nc $< >$@

# Looked at each time, and written where it is another: the programs alone have it, not their libraries.
BUILT := $(OUT)/generated/build.h

$(BUILT): FORCE
	@$(call renew,echo '#define USHER_BUILD "$(VERSION)$(if $(COMMIT), ($(COMMIT)))"')

$(WORKER_MAIN) $(DASHBOARD_MAIN) $(PRODUCER_OBJECTS): | $(BUILT)

$(OUT)/%.o: %.c $(OUT)/flags | $(EMBEDDED)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# Not ours: its warnings are its authors' business.
$(OUT)/producer/yyjson/%.o: WARNINGS := -w

# Archives are recreated: a file that was deleted must not live on inside one.
$(OUT)/libusher.a: $(LIB_OBJECTS)
$(OUT)/libworker.a: $(WORKER_OBJECTS) $(HTTP_OBJECTS)
$(OUT)/libdashboard.a: $(DASHBOARD_OBJECTS) $(HTTP_OBJECTS)
$(OUT)/libsupport.a: $(SUPPORT_OBJECTS)
$(OUT)/lib%.a:
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(OUT)/libusher.so: $(LIB_OBJECTS) producer/libusher.map
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -Wl,-soname,libusher.so.$(SOVERSION) -Wl,--version-script=producer/libusher.map \
	    $(if $(SANITIZE),,-Wl,-z,defs) -o $@.$(VERSION) $(LIB_OBJECTS) $(LIB_LIBS)
	@ln -sf libusher.so.$(VERSION) $@.$(SOVERSION)
	@ln -sf libusher.so.$(SOVERSION) $@

# Looked at each time: the prefix of an install may not be that of the build before it.
$(OUT)/usher.pc: producer/usher.pc.in FORCE
	@$(call renew,sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' $<)

$(OUT)/usher-producer: $(PRODUCER_OBJECTS) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(LIB_LIBS)

$(OUT)/usher-worker: $(WORKER_MAIN) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS)

# Without librdkafka.
$(OUT)/usher-dashboard: $(DASHBOARD_MAIN) $(LIBDASHBOARD) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(CRYPTO_LIBS)

# The worker of a later version, for what only that knows: which of its migrations others go on under.
$(LATER)/migrations.inc: $(MIGRATIONS) $(wildcard tests/later/*.sql) schema/embed
	@mkdir -p $(@D)
	@schema/embed rows $(filter %.sql,$^) >$@

$(LATER)/pg_session.o: worker/postgres/pg_session.c $(LATER)/migrations.inc $(OUT)/flags | $(EMBEDDED)
	$(call say,CC,$<)
	$(Q)$(COMPILE) -iquote $(LATER) -MMD -MP -c -o $@ $<

$(LATER)/usher-worker: $(WORKER_MAIN) $(LATER)/pg_session.o $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS)

# The programs' tables, as text: what a build runs, and nobody installs.
$(OUT)/deploy/manual/manual: $(MANUAL_OBJECTS) $(filter-out %/main.o,$(PRODUCER_OBJECTS)) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS)

$(OUT)/deploy/manual/usher-%: $(OUT)/deploy/manual/manual
	@$< $(patsubst .%,%,$(subst .man,.page,$(suffix $@))) $(patsubst usher-%,%,$(basename $(@F))) '$(DATE)' >$@

# The rows of the contract, into the files of the source that repeat them.
$(OUT)/deploy/contract/contract: $(CONTRACT_OBJECTS) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS)

# One text for both: what the operator of Prometheus calls the spec is a file of rules.
$(RULES): deploy/monitoring/prometheusrule.yaml
	@mkdir -p $(@D)
	@sed '1,/^spec:/d; s/^  //' $< >$@

$(foreach folder,$(UNIT_FOLDERS),$(eval $(OUT)/tests/unit/test_$(folder): $(call object,$(wildcard tests/unit/$(folder)/*.c))))
$(UNIT_PROGRAMS): $(OUT)/tests/unit/unit.o
$(SINGLE_PROGRAMS): $(OUT)/%: $(OUT)/%.o
$(TEST_PROGRAMS): $(LIBSUPPORT) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS) $(WORKER_LIBS) $(LIB_LIBS) -lm

# In the place of what the linker puts a function of the simulator, in all of the product's objects: of the C library
# (tests/sim/seams.c), of librdkafka and what is next to it (outbox.c), and one that it looks on from (memory.c).
WRAPPED := malloc calloc realloc free clock_gettime poll eventfd read write close pthread_create pthread_self \
    pthread_clockjoin_np pthread_mutex_lock pthread_mutex_unlock pthread_cond_timedwait pthread_cond_signal _exit \
    inventory_committed partition_read_clock \
    kafka_producer_open kafka_producer_close kafka_producer_send kafka_base_topics kafka_base_reader \
    kafka_reader_results kafka_scan $(addprefix rd_kafka_,queue_poll event_type event_message_next \
    event_error_is_fatal event_error_string event_destroy headers_new header_add headers_destroy)

$(OUT)/tests/sim/sim: $(OUT)/tests/sim/main.o
$(OUT)/tests/sim/record_calls: $(OUT)/tests/sim/record_calls.o
$(SIM_PROGRAMS): $(SIM_OBJECTS) $(LIBSUPPORT) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) $(addprefix -Wl$(comma)--wrap=,$(WRAPPED)) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    $(TEST_LIBS) $(WORKER_LIBS) $(LIB_LIBS) -lm

$(OUT)/tests/unit/test_sim: | $(OUT)/tests/sim/sim

# Of clang, with libFuzzer's main: `make fuzz` has the flags.
$(FUZZ_PROGRAMS): $(OUT)/%: $(OUT)/%.o $(filter-out %/main.o,$(PRODUCER_OBJECTS)) $(LIBSUPPORT) $(LIBWORKER) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS) -lm

$(PROGRAMS) $(LATER)/usher-worker $(TEST_PROGRAMS) $(C_EXAMPLES) $(DEMO) $(LOAD): $(C11_THREADS)

$(C_EXAMPLES): $(OUT)/%: $(OUT)/%.o $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(LIB_LIBS)

# Of libusher and nothing of the worker: demo and load are services like any other.
$(OUT)/tests/demo/demo: $(DEMO_OBJECTS) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(WORKER_LIBS) $(LIB_LIBS) -lm

$(OUT)/tests/bench/load/load: $(LOAD_OBJECTS) $(LIBSUPPORT) $(LIBUSHER)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(LIB_LIBS)

-include $(shell [ -d $(OUT) ] && find $(OUT) -name '*.d')

# ---- tests, demo, bench: on the real stack ---------------------------------------------------------
# What the scripts need to know of this build. They start instances of their own under $(BUILD).
RUN = BUILD=$(abspath $(BUILD)) MODE=$(MODE) BIN_DIR=$(abspath $(OUT))

# Packages may just have been installed, so what was found missing must be looked for again.
# Each builds what it runs and nothing else.
remake = +@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)) $(1) >&2

DELAY_PROXY := $(OUT)/tests/bench/delay_proxy
SELL_CARTS := $(OUT)/tests/integration/sell_carts
ASK_AT_RANDOM := $(OUT)/tests/integration/ask_at_random

# ---- producer/examples: services in other languages ------------------------------------------------
# Most of Go's time goes into what is imported, once: it is kept in Go's own cache. Java's second compiler would
# take longer than it saves.
QUICK_JAVA := -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
SERVICES_BUILT := $(BUILD)/examples
SERVICES := $(SERVICES_BUILT)/java/classes/Service.class $(SERVICES_BUILT)/go/service

$(SERVICES_BUILT)/java/jars: producer/examples/java/pom.xml
	$(call say,MVN,$<)
	@rm -rf $@ $@.new
	$(Q)MAVEN_OPTS='$(QUICK_JAVA)' mvn -B -q -f $< dependency:copy-dependencies -DoutputDirectory=$(abspath $@).new
	@mv $@.new $@

$(SERVICES_BUILT)/java/classes/Service.class: $(wildcard producer/examples/java/*.java) $(SERVICES_BUILT)/java/jars
	$(call say,JAVA,producer/examples/java)
	$(Q)javac $(addprefix -J,$(QUICK_JAVA)) -Xlint:all -Werror -cp '$(SERVICES_BUILT)/java/jars/*' -d $(@D) $(filter %.java,$^)

$(SERVICES_BUILT)/go/service: $(wildcard producer/examples/go/*)
	$(call say,GO,producer/examples/go)
	@mkdir -p $(@D)
	$(Q)cd producer/examples/go && GOTOOLCHAIN=local go build -gcflags='all=-N -l' -o $(abspath $@) .

# Without npm or its registry follow.mjs is only checked, not run, the dashboard's pages are not held against axe, and neither
# the services in Node nor what their page says of some clients is tried.
$(SERVICES_BUILT)/node/node_modules: producer/examples/node/package.json
$(SERVICES_BUILT)/redis/node_modules: schema/redis/package.json
$(SERVICES_BUILT)/clients/node_modules: tests/integration/clients/package.json
$(SERVICES_BUILT)/axe/node_modules: tests/integration/package.json
$(SERVICES_BUILT)/%/node_modules:
	$(call say,NPM,$<)
	@rm -rf $(@D) && mkdir -p $(@D) && cp $< $(@D)
	$(Q)npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --silent --fetch-retries=0 --fetch-timeout=30000 || rm -rf $@
# Node looks for modules beside the program that wants them.
$(SERVICES_BUILT)/node/service.mjs: $(wildcard producer/examples/node/*.mjs) $(SERVICES_BUILT)/node/node_modules
$(SERVICES_BUILT)/clients/platformatic.mjs: tests/integration/clients/platformatic.mjs $(SERVICES_BUILT)/clients/node_modules
$(SERVICES_BUILT)/node/service.mjs $(SERVICES_BUILT)/clients/platformatic.mjs:
	$(Q)[ ! -d $(@D) ] || cp $(filter %.mjs,$^) $(@D)
SERVICES += $(if $(shell command -v npm),$(addprefix $(SERVICES_BUILT)/,node/service.mjs clients/platformatic.mjs redis/node_modules axe/node_modules))

$(SERVICES_BUILT)/pip: tests/integration/clients/requirements.txt
	$(call say,PIP,$<)
	@rm -rf $@
	$(Q)/usr/bin/python3 -m pip install --quiet --no-deps --retries 0 --root-user-action ignore --target $@ -r $< || rm -rf $@
SERVICES += $(if $(shell /usr/bin/python3 -m pip --version 2>/dev/null),$(SERVICES_BUILT)/pip)

# What the tests on the real stack run.
TRIED := programs $(LATER)/usher-worker $(STACK_PROGRAMS) $(SIM_PROGRAMS) $(C_EXAMPLES) $(DELAY_PROXY) $(LOAD)

packages: ## install the Debian packages that are missing (or print the line that does)
	@deploy/local/packages --stack

STACK_TESTS = $(RUN) MARK=$(call quote,$(1)) TESTS=$(call quote,$(TESTS)) tests/run.sh

# The oracle is Python: sanitizers see nothing of it.
KINDS = unit $(if $(SANITIZE),,oracle) integration

check: ## unit tests, simulator and oracle: no server, three minutes
	@deploy/local/packages
	$(call remake,programs $(UNIT_PROGRAMS))
	@$(RUN) tests/run.sh unit oracle

test: ## the same, and the tests on a real PostgreSQL, Redis and Kafka that take no browser and no other language; the last line is the count of all
	@deploy/local/packages --stack
	$(call remake,$(UNIT_PROGRAMS) $(TRIED))
	@$(call STACK_TESTS,$(or $(MARK),not whole)) $(KINDS)

test-all: ## the same, and all other tests on them
	@deploy/local/packages --stack --examples
	$(call remake,$(UNIT_PROGRAMS) $(TRIED) $(SERVICES))
	@$(call STACK_TESTS,$(MARK)) $(KINDS)

# A few files, which book, sell carts, kill workers and let holds expire.
SMOKE := $(addprefix tests/,$(addprefix integration/test_,booking.py crash.py domain_bookings.py domain_carts.py expiry.py) scenarios/test_inventory.py)

smoke: ## the demo and thirty tests on the real stack: two minutes, once all is built
	@missing=$$(deploy/local/packages --missing --stack); \
	    echo "make smoke needs 1 GB of disk, and Debian packages; missing: $${missing:-none}"
	@deploy/local/packages --stack
	$(call remake,programs $(DEMO) $(STACK_PROGRAMS))
	@$(RUN) tests/demo/run.sh
	@$(RUN) MARK=smoke TESTS='$(SMOKE)' tests/run.sh integration

unit: ## the unit tests
	@deploy/local/packages
	$(call remake,programs $(UNIT_PROGRAMS))
	@$(RUN) tests/run.sh unit

integration: ## the tests on the real stack; MARK= as in `pytest -m`, TESTS= files or names
	@deploy/local/packages --stack --examples
	$(call remake,$(TRIED) $(SERVICES))
	@$(call STACK_TESTS,$(MARK)) integration

model: ## the models of tests/model by Spin: each holds, and fails with each of its mutants; half a minute
	@deploy/local/packages --stack --model
	@BUILD=$(abspath $(BUILD)) tests/model/run

mutants: packages ## breaks the code by a line at a time (tests/mutants) and prints which test notices; NAMES= tries some
	$(call remake,programs $(UNIT_PROGRAMS) $(SIM_PROGRAMS) $(STACK_PROGRAMS))
	@BUILD=$(abspath $(BUILD)) tests/mutants/run $(NAMES)

# With a hiredis that has TLS, wherever it comes from; objects of their own, as the headers differ.
HIREDIS_WITH_TLS := $(BUILD)/hiredis

test-security: ## TLS and access control on the real parts: a minute or two, and a build with TLS for Redis
	@deploy/local/packages --stack --security
	@pkg-config --exists 'hiredis_ssl >= 1.0' || deploy/hiredis $(HIREDIS_WITH_TLS)
	@tests/security/librdkafka $(BUILD)/librdkafka
	+@PKG_CONFIG_PATH=$(abspath $(HIREDIS_WITH_TLS))/lib/pkgconfig:$$PKG_CONFIG_PATH \
	    $(MAKE) --no-print-directory MODE=tls programs >&2
	@BUILD=$(abspath $(BUILD)) MODE=tls TESTS=$(call quote,$(or $(TESTS),tests/security)) PROCESSES=0 \
	    tests/run.sh integration

drills: packages ## fail-over, restores and losses of each part, under load: minutes, and a table; MARK=loss: those that lose commits, MARK=size: the largest that is allowed
	$(call remake,programs $(SELL_CARTS))
	@$(RUN) MARK=$(call quote,$(or $(MARK),not size)) TESTS=$(call quote,$(or $(TESTS),tests/drills)) PROCESSES=$(or $(PROCESSES),0) \
	    tests/run.sh integration

CHAOS = $(RUN) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests /usr/bin/python3 -m chaos

chaos: packages ## three workers, the whole domain, faults at random: MINUTES=5, SEED= of a run to repeat
	$(call remake,programs $(DELAY_PROXY) $(SELL_CARTS) $(ASK_AT_RANDOM))
	@$(CHAOS) --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

sim: packages ## workers in virtual time on simulated parts, with faults: RUNS= seeds from SEED= on, CRASH_AT= a call
	$(call remake,$(OUT)/tests/sim/sim)
	@$(OUT)/tests/sim/sim '$(SEED)' '$(RUNS)' '$(CRASH_AT)'

FOUND = $(abspath $(BUILD))/found/$(notdir $(1))
FUZZ  = mkdir -p $(call FOUND,$(1)) && cd $(call FOUND,$(1)) && $(abspath $(BUILD))/fuzz/$(1) -max_total_time=$(SECONDS) \
    -timeout=20 -print_final_stats=0 . $(abspath schema/messages/examples tests/unit/corpus)

fuzz: ## what comes from outside is invented for SECONDS=60 by each fuzzer of tests/fuzz; what breaks it is left in build/found
	@deploy/local/packages --lint
	+@$(MAKE) --no-print-directory CC=clang MODE=fuzz SANITIZE=fuzzer-no-link,address,undefined \
	    $(patsubst $(OUT)/%,$(BUILD)/fuzz/%,$(FUZZ_PROGRAMS)) >&2
	@set -e; $(foreach program,$(patsubst $(OUT)/%,%,$(FUZZ_PROGRAMS)),($(call FUZZ,$(program)));)

demo: packages ## a rush on a hall and a year of a hotel, through the real stack, in a minute; KEEP=1: until Ctrl-C
	$(call remake,programs $(DEMO))
	@$(RUN) tests/demo/run.sh $(if $(KEEP),--keep)

fill-up: packages ## how full a hall gets before a pair is refused, and what a choice of seats costs
	$(call remake,$(OUT)/tests/bench/fill_up)
	@$(OUT)/tests/bench/fill_up

# Plots need a package of their own.
BENCH = $(RUN) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/bench/bench.py

bench: ## the hot show by seats and by quantity, the floor, SKIP LOCKED, a waiting list: some minutes
	@deploy/local/packages --stack --bench
	$(call remake,programs $(BENCH_PROGRAMS) $(LOAD))
	@$(BENCH) quick

bench-full: ## all workloads, the floor, all rivals: under 40 minutes
	@deploy/local/packages --stack --bench
	$(call remake,programs $(BENCH_PROGRAMS) $(LOAD))
	@$(BENCH) full

bench-results: ## recreate tests/bench/RESULTS.md: the medians of RUNS=3 runs of bench-full; two hours
	@deploy/local/packages --stack --bench
	$(call remake,programs $(BENCH_PROGRAMS) $(LOAD))
	@$(subst bench.py,results.py,$(BENCH)) --runs $(RUNS)

bench-broker: packages ## what the broker's Java does to latencies: its collectors and compilers, ROUNDS=3 in turn; ten minutes
	$(call remake,programs $(LOAD))
	@$(subst bench.py,broker.py,$(BENCH)) --rounds $(ROUNDS)

bench-dashboard: packages ## the dashboard in Chromium and beside full load; a page is looked at for SECONDS=60, an hour shows whether its heap grows
	$(call remake,programs $(LOAD))
	@$(subst bench.py,dashboard.py,$(BENCH)) --seconds $(SECONDS)

bench-slowest: packages ## where the time of the ten slowest requests went, at RATE=1000 a second for SECONDS=60; three minutes
	$(call remake,programs $(LOAD))
	@$(subst bench.py,slowest.py,$(BENCH)) --rate $(RATE) --seconds $(SECONDS)

up: packages ## start PostgreSQL, Redis, Kafka, WORKERS=1 workers and a dashboard: eval "$$(make -s up)"
	$(call remake,programs)
	@$(RUN) deploy/local/stack up --dashboard --workers $(WORKERS)

down: ## stop what `make up` started; its data stays
	@$(RUN) deploy/local/stack down

# ---- the image -------------------------------------------------------------------------------------
# What goes into it: deploy/Containerfile.dockerignore has the same.
IMAGE         := $(BUILD)/image/usher-$(VERSION).tar
IMAGE_SOURCES  = $(shell git ls-files Makefile .commit include producer schema worker deploy/manual deploy/runbook.md deploy/image deploy/Containerfile)

$(IMAGE): $(IMAGE_SOURCES)
	@BUILD=$(abspath $(BUILD)) deploy/image/build $(VERSION) $(COMMIT) >&2

image: ## an OCI archive of the programs, also where no registry is reached
	@deploy/local/packages --stack --image
	+@$(MAKE) --no-print-directory $(IMAGE)

test-image: image ## the image in a container, on the local stack
	$(call remake,programs)
	@$(RUN) PROCESSES=0 TESTS=tests/image tests/run.sh integration

# ---- the house -------------------------------------------------------------------------------------
SOURCES = $(shell find include producer worker deploy tests -name '*.[ch]' -not -path 'producer/yyjson/*' 2>/dev/null)

# Installs and builds what lint looks at. Afterwards lint can run beside the tests.
lint-ready:
	@deploy/local/packages --stack --lint --docs
	$(call remake,all manual monitoring $(OUT)/deploy/contract/contract)

lint: lint-ready ## format, clang-tidy, cppcheck, shellcheck, pyflakes, links of the pages, and the scripts of tests/lint
	@OUT=$(OUT) FLAGS=$(call quote,$(USHER_CPPFLAGS) $(filter-out -Werror,$(WARNINGS))) tests/lint/run

lint-kubernetes: ## deploy/kubernetes against the schemas of Kubernetes, and kube-score; builds these tools once: minutes
	@deploy/local/packages --stack --examples
	@BUILD=$(abspath $(BUILD)) tests/lint/kubernetes

docs: ## one site of all pages, with search: python3 -m http.server --directory build/docs/html
	@deploy/local/packages --docs
	@producer/docs/html $(BUILD)/docs

format: ## put every C file into the house format
	@clang-format -i $(SOURCES)

# What is installed of the manual, and where below share/: a page's section is the end of its name.
SHARE            := $(DESTDIR)$(PREFIX)/share
INSTALLED_MANUAL := usher-producer.man=man/man1/usher-producer.1 usher-worker.man=man/man8/usher-worker.8 \
    usher-dashboard.man=man/man8/usher-dashboard.8 $(foreach p,usher-producer usher-worker usher-dashboard,$p.bash=bash-completion/completions/$p \
    $p.zsh=zsh/site-functions/_$p $p.fish=fish/vendor_completions.d/$p.fish)

# The units of systemd, and where below lib/.
INSTALLED_UNITS := $(foreach unit,usher-worker.service usher-dashboard.service usher-reconcile.service usher-reconcile.timer,\
    $(unit)=systemd/system/$(unit)) hardening.conf=systemd/system/usher-.service.d/hardening.conf \
    usher.sysusers=sysusers.d/usher.conf usher-dashboard.sysusers=sysusers.d/usher-dashboard.conf

install: programs manual monitoring ## install programs, library, headers, schema, manual, pages, completions, alerts, units under DESTDIR and PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig \
	    $(DESTDIR)$(PREFIX)/include/usher $(DESTDIR)$(PREFIX)/share/usher \
	    $(DESTDIR)$(PREFIX)/share/doc/usher
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(OUT)/libusher.a $(OUT)/libusher.so.$(VERSION) $(DESTDIR)$(LIBDIR)
	ln -sf libusher.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libusher.so.$(SOVERSION)
	ln -sf libusher.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libusher.so
	install -m 644 include/usher/*.h include/usher/*.def $(DESTDIR)$(PREFIX)/include/usher
	install -m 644 $(OUT)/usher.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	cp -R producer/examples $(DESTDIR)$(PREFIX)/share/doc/usher
	for page in README recovery runbook scaling; do \
	    sed 's,](\.\./schema/,](../../usher/schema/,g; /^!\[/d' deploy/$$page.md | \
	        install -m 644 /dev/stdin $(SHARE)/doc/usher/$$page.md || exit; \
	done
	cp -R schema $(DESTDIR)$(PREFIX)/share/usher
	rm $(addprefix $(DESTDIR)$(PREFIX)/share/usher/schema/,embed types)
	install -m 644 deploy/union.sql $(DESTDIR)$(PREFIX)/share/usher
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/usher/monitoring $(RULES) deploy/monitoring/grafana/*.json
	for pair in $(INSTALLED_MANUAL); do \
	    install -D -m 644 "$(OUT)/deploy/manual/$${pair%%=*}" "$(SHARE)/$${pair#*=}" || exit; \
	done
	for pair in $(INSTALLED_UNITS); do \
	    install -D -m 644 "deploy/systemd/$${pair%%=*}" "$(DESTDIR)$(PREFIX)/lib/$${pair#*=}" || exit; \
	done

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,usher-producer usher-worker usher-dashboard)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libusher.a libusher.so libusher.so.$(SOVERSION) \
	    libusher.so.$(VERSION) pkgconfig/usher.pc)
	rm -f $(foreach file,$(INSTALLED_MANUAL),$(SHARE)/$(lastword $(subst =, ,$(file))))
	rm -f $(foreach file,$(INSTALLED_UNITS),$(DESTDIR)$(PREFIX)/lib/$(lastword $(subst =, ,$(file))))
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,include/usher share/usher share/doc/usher)

# ---- Debian packages -------------------------------------------------------------------------------
# Built in a copy, as the folder debian/ must be at its top. Its changelog is the version and date above.
DEB      := $(BUILD)/deb
DEB_TREE := $(DEB)/usher-$(VERSION)

deb: ## Debian packages that lintian finds nothing in, in build/deb; MAINTAINER='NAME <ADDRESS>' who answers for them
	@deploy/local/packages --deb
	@rm -rf $(DEB) && mkdir -p $(DEB_TREE)
	@cp -R LICENSE CHANGELOG.md README.md Makefile deploy include producer schema tests worker $(DEB_TREE)
	@cp -R deploy/debian $(DEB_TREE)/debian
	@echo '$(COMMIT)' >$(DEB_TREE)/.commit
	$(if $(MAINTAINER),@sed -i 's|^Maintainer: .*|Maintainer: $(MAINTAINER)|' $(DEB_TREE)/debian/control)
	@printf 'usher ($(VERSION)) unstable; urgency=medium\n\n  * CHANGELOG.md of the source has the changes.\n\n -- %s  %s\n' \
	    "$$(sed -n 's/^Maintainer: //p' $(DEB_TREE)/debian/control)" "$$(LC_ALL=C date -u -R -d '$(DATE)')" \
	    >$(DEB_TREE)/debian/changelog
	cd $(DEB_TREE) && env -u BUILD -u MODE -u CFLAGS -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc
	lintian --display-info --info --fail-on error,warning,info $(DEB)/*.changes

test-deb: deb ## install the packages into a fresh Debian, and try what is in them on a private stack
	@deploy/local/packages --stack --deb
	@$(RUN) tests/deb/run $(DEB)

# ---- a release -------------------------------------------------------------------------------------
# All of it is built of the source archive, so of what is committed.
RELEASE        := $(BUILD)/release-$(VERSION)
RELEASE_SOURCE := $(BUILD)/usher-$(VERSION)

release: ## source archive, Debian packages, image, notes and SHA256SUMS of the commit, in build/release-VERSION
	@case '$(COMMIT)' in '' | *+) echo 'release: commit first: it is made of a commit' >&2; exit 65 ;; esac
	@rm -rf $(RELEASE) $(RELEASE_SOURCE) $(IMAGE) && mkdir -p $(RELEASE)
	git archive --prefix=usher-$(VERSION)/ -o $(RELEASE)/usher-$(VERSION).tar.gz HEAD
	@tar -x -C $(BUILD) -f $(RELEASE)/usher-$(VERSION).tar.gz
	+@$(MAKE) --no-print-directory -C $(RELEASE_SOURCE) BUILD=$(abspath $(BUILD)) deb image
	@cp $(DEB)/*.deb $(RELEASE)
	@cp $(IMAGE) $(RELEASE)/usher-$(VERSION)-image.tar
	@awk '/^## /{ on = index($$0, "## [$(VERSION)]") == 1 } on' $(RELEASE_SOURCE)/CHANGELOG.md >$(RELEASE)/NOTES.md
	@cd $(RELEASE) && sha256sum * >SHA256SUMS
	@rm -rf $(RELEASE_SOURCE) && ls -l $(RELEASE)

clean: ## remove what was built; the local stack's data and the downloaded broker stay
	rm -rf $(BUILD)/release $(BUILD)/asan $(BUILD)/tsan $(BUILD)/tls $(OUT)
	@[ ! -d $(BUILD) ] || { echo 'left, until `rm -rf $(BUILD)`:'; du -sh $(BUILD)/*; } 2>/dev/null || true

help: ## this text
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST) | sed 's/\$$\$$/$$/'
	@printf '\n  BUILD=build  CC=cc  CFLAGS=  PREFIX=/usr/local  DESTDIR=  WERROR=1  SANITIZE=address,undefined|thread\n'
