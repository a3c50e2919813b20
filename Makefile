# Everything a person or a machine does with this repository. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
DESTDIR ?=
DEBUG := .build/debug/auth-cli
RELEASE := .build/release/auth-cli
# Swift evaluates the manifest again when the environment changes, and not when a library is installed.
export LIBPQ_HEADER = $(shell ls /usr/include/postgresql/libpq-fe.h /usr/include/libpq-fe.h 2>/dev/null)

SOURCES := Sources Tests fixtures/must-not-compile Package.swift

# Only for the build that most people have: tests that run compilers or read documents, and those that explore the machine,
# which is a value and starts no task.
ONCE := MustNotCompile|DependencyTests|AppleSystemTests|SnippetTests|TutorialTests|SymbolDocumentationTests|AppPackageTests|MutantTests|ModelCheckTests|LinkTests|NamedThingsTests
# Nor for Thread Sanitizer: tests that race on purpose, as the `published…` forms do.
TSAN_SKIP ?= /published|$(ONCE)

# What replaces API that only newer systems have; DependencyTests looks at the sources themselves.
OLDER_FILTER := GuardsTests|AuthCoreTests
# What these targets and the model check build.
CORE_TESTS := GuardsTests AuthCoreTests
# One optimised build for these and for the model check, which explores values and starts no task. Without debug information
# it takes a seventh less time.
OLDER := -c release -debug-info-format none -Xswiftc -enable-testing -Xswiftc -DOLDER_SYSTEM --scratch-path .build/older

# The deep model checks explore further when CHECK_DEEP is set.
DEEP_FILTER ?= ModelCheck|ExchangeModel

.PHONY: help build program demo demo-provider app test server-tests other-tests idle-tests test-all longer-lane longer-idle-tests \
  optimised-lane other-lane test-tsan test-older-systems test-release test-failover test-crash test-backends test-cuts \
  test-races test-exchange test-providers transcripts-cram check-deep lint format release bench docs docs-open pictures \
  version install \
  uninstall release-service install-service uninstall-service deb dist test-packages clean setup setup-release \
  setup-packages

help: ## List the targets; those marked * are the first ones to know
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { mark = sub(/^[*] /, "", $$2) ? "*" : " "; \
	  printf "%s make %-19s %s\n", mark, $$1, $$2 }' Makefile

build: setup ## Build everything, debug (the default)
	swift build

# What the tour and the screen run, without the tests' programs and the service.
program: version
	@.ci/setup program
	swift build --product auth-cli
	swift build --product race-tool

demo: program ## * Play the tour in a temporary directory
	fixtures/demo.sh $(DEBUG)

demo-provider: build ## Play the tour at an identity provider: a throwaway Glewlwyd, if it is installed
	fixtures/demo-provider.sh $(DEBUG)

app: program ## * Open the full-screen program on a temporary home with two users and some payments
	fixtures/app.sh $(DEBUG)

# Two processes share the tests, because each often waits: for servers, for screens, for limits that are tested.
SERVERS := AuthPostgresTests|AuthServiceTests
# What measures runs alone, or it would measure the other tests, and is repeated once if it fails. Nothing else is.
MEASURES := AttackTests|OperatorTests/noDescriptor
# A sweep may take as long as its numbers say.
SWEEP := TEST_ALL=1 TEST_LIMIT=$${TEST_LIMIT:-86400}
LANES := MAKE='$(MAKE)' .ci/lanes

test: setup ## * Run what a change needs: every test, with samples of the long ones
	swift build --build-tests
	+$(LANES) server-tests other-tests alone idle-tests

server-tests:
	.ci/tests $@ --built --filter '$(SERVERS)' --skip '$(MEASURES)'

other-tests:
	.ci/tests $@ --built --skip '$(SERVERS)'

idle-tests:
	.ci/tests $@ --built --alone --filter '$(MEASURES)'

# The suites that do more, or anything at all, under TEST_ALL: those that ask `Effort`, also inside another suite. After
# `make test` on the same tree (TESTED=1, as in .ci/run) the others need no second run. The transcripts do more on the
# release executable.
LONGER := $(shell grep -rl 'Effort\.' Tests --include='*Tests.swift' | grep -v TranscriptTests | \
  sed -E 's!^Tests/[^/]*/([^/]*)/(.*/)?([^/]*)\.swift!\1[.](.*/)?\3/!' | paste -sd '|')|DjangoTests

# Three lanes, because much of the first one waits. No two builds share a folder, and the steps of a lane run in order. Each
# runs fewer tests at a time than `make test`: a password of the usual cost must not wait too long for a processor.
test-all: setup-release ## Run what a release needs: make test with longer samples, and every build below
	$(if $(TESTED),,TEST_ALL=1 $(MAKE) --no-print-directory test)
	+SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$$((3 * $$(nproc))) \
	  $(LANES) $(if $(TESTED),longer-lane) optimised-lane other-lane $(if $(TESTED),alone longer-idle-tests)

# It builds nothing, so that the release is built beside it.
longer-lane:
	TEST_ALL=1 .ci/tests longer-tests --built --filter '$(LONGER)' --skip '$(MEASURES)'

longer-idle-tests:
	TEST_ALL=1 .ci/tests $@ --built --alone --filter '$(MEASURES)'

optimised-lane:
	$(MAKE) --no-print-directory test-older-systems
	$(MAKE) --no-print-directory check-deep
	$(MAKE) --no-print-directory docs

other-lane:
	$(MAKE) --no-print-directory test-release
	$(MAKE) --no-print-directory test-tsan

test-tsan: setup ## Run the tests of Guards and AuthCore under Thread Sanitizer, which must first catch a planted race
	.ci/planted-race
	ONLY='$(CORE_TESTS)' $(if $(TESTED),,TEST_ALL=1) .ci/tests $@ --sanitize=thread --scratch-path .build/tsan --filter 'GuardsTests|AuthCoreTests' \
	  --skip '$(TSAN_SKIP)'

test-older-systems: setup ## Run the same tests with what replaces, on older systems, API that they do not have
	ONLY='$(CORE_TESTS)' TEST_ALL=1 .ci/tests $@ $(OLDER) --filter '$(OLDER_FILTER)' --skip '$(ONCE)'

test-release: setup-release ## Play the transcripts against the release executable
	.ci/release auth-cli
	TEST_ALL=1 AUTH_CLI=$(abspath $(RELEASE)) .ci/tests $@ $(if $(TESTED),--built) --filter TranscriptTests

test-failover: ## Fail PostgreSQL servers and services under payments (FAILOVER_ROUNDS=10, FAILOVER_PAYMENTS=1100 each)
	@.ci/setup failover
	$(SWEEP) FAILOVER_ROUNDS=$${FAILOVER_ROUNDS:-10} FAILOVER_PAYMENTS=$${FAILOVER_PAYMENTS:-1100} .ci/tests $@ --filter FailoverTests

test-crash: setup ## Kill every command at every call that writes, and half way through every write; fail every such call
	$(SWEEP) CRASH_EVERY=1 .ci/tests $@ --filter 'CrashTests|FailingCallTests'

test-backends: setup ## Compare both databases over a random history of DIFFERENTIAL_OPERATIONS=20000
	$(SWEEP) DIFFERENTIAL_OPERATIONS=$${DIFFERENTIAL_OPERATIONS:-20000} .ci/tests $@ --filter DifferentialTests

test-races: setup ## Race processes and connections over accounts on both databases, in ACCOUNT_RACE_ROUNDS=200
	$(SWEEP) ACCOUNT_RACE_ROUNDS=$${ACCOUNT_RACE_ROUNDS:-200} .ci/tests $@ --filter 'AccountRaceTests|RuleRaceTests'

test-cuts: setup ## Cut the connection to a PostgreSQL server at each message of 22 commands
	$(SWEEP) CUT_CONNECTIONS=$${CUT_CONNECTIONS:-all} .ci/tests $@ --filter CutConnectionTests

test-exchange: setup ## Share a session among 16 processes at Glewlwyd and django-oauth-toolkit, in 200 expiries and 300 kills
	$(SWEEP) EXCHANGE=1 .ci/tests $@ --filter 'ProcessExchangeTests|DjangoTests|FileVaultTests'

test-providers: setup ## Log in, renew, kill and log out at six servers that others wrote, also as eight coding agents (PROVIDER_ROUNDS=5, PROVIDER_KILLS=40)
	$(SWEEP) PROVIDERS=1 .ci/tests $@ --filter OtherServerTests

transcripts-cram: build ## Play the same transcripts in the independent cram, when it is installed
	@command -v cram >/dev/null || { echo "cram is not installed (https://bitheap.org/cram/)" >&2; exit 1; }
	AUTH_CLI=$${AUTH_CLI:-$(abspath $(DEBUG))} setsid -w cram fixtures/transcripts

check-deep: setup ## Explore the session machine as deeply as the design promises
	ONLY='$(CORE_TESTS)' CHECK_DEEP=1 .ci/tests $@ $(OLDER) --filter '$(DEEP_FILTER)'

LONG_COMMENTS := FNR == 1 { code = 0 } /```/ { code = !code } \
  !code && /^ *\/\// && length > 100 { print FILENAME ":" FNR ": a comment line has at most 100 columns" }

lint: ## Check format and documentation rules
	swift format lint --strict --parallel --recursive $(SOURCES)
	@! find Sources Tests -name '*.swift' -not -path '*/.build/*' -exec awk '$(LONG_COMMENTS)' {} + | grep .

format: ## Rewrite the sources in the project's format
	swift format --in-place --parallel --recursive $(SOURCES)

release: setup-release ## Build .build/release/auth-cli: stripped, and static where the system has the libraries
	.ci/release auth-cli

# A static program where the system has the libraries, as auth-cli is.
BARE := -O2 -o .build/release/bare Tests/Support/Benchmarks/bare.c -lsqlite3 -lcrypt -lm

bench: setup-release ## Measure each goal of the design beside a baseline (BENCH='--quick GROUP...')
	.ci/release auth-cli auth-cli-least-cost auth-service auth-service-least-cost
	cc -static $(BARE) 2>/dev/null || cc $(BARE)
	swift build -c release --package-path Tests/Support/Benchmarks --scratch-path .build/benchmarks
	.build/benchmarks/release/benchmarks $(BENCH)

docs: $(if $(TESTED),,build) ## * Build the documentation into .build/docs, one web site
	.ci/docs $(dir $(DEBUG))Modules

docs-open: ## Serve the documentation at http://127.0.0.1:8000 (PORT=) and open it in a browser
	@[ -d .build/docs/documentation ] || $(MAKE) --no-print-directory docs
	.ci/docs-open .build/docs $(or $(PORT),8000)

PICTURES := fixtures/pictures
MARK_COMMANDS := /^```/ { if (on) exit; on = $$0 == "```console"; next } on { if (/^\$$ /) $$0 = "\033[1m" $$0 "\033[m"; print }

# All sources are what tests hold true: the README's session, the diagram that the machine prints, and frames.
pictures: ## Draw the pictures of the README
	@mkdir -p "$(PICTURES)"
	awk '$(MARK_COMMANDS)' README.md | .ci/draw-text "A terminal session with auth-cli" >"$(PICTURES)/session.svg"
	.ci/draw-machine <fixtures/golden/machine.mmd >"$(PICTURES)/machine.svg"
	@for tab in receipts machine; do \
	  .ci/style-frame 80x24 <fixtures/golden/app/$$tab.txt | .ci/draw-text "auth-cli app" >"$(PICTURES)/app-$$tab.svg"; \
	done

VERSION_FILE := $(wildcard Sources/*/*/Version.swift)

version: ## Write version and date of the newest release in CHANGELOG.md into the sources
	@.ci/version "$(VERSION_FILE)"

MAN := $(DESTDIR)$(PREFIX)/share/man/man1/auth-cli.1
BASH_COMPLETION := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/auth-cli
ZSH_COMPLETION := $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_auth-cli
FISH_COMPLETION := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/auth-cli.fish
EXECUTABLE := $(DESTDIR)$(PREFIX)/bin/auth-cli

ARTICLES := Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc
DOCUMENTS := $(DESTDIR)$(PREFIX)/share/doc/auth-cli
SERVICE_DOCUMENTS := $(DESTDIR)$(PREFIX)/share/doc/auth-service
# $(call articles,NAMES,FOLDER): installs articles as files.
articles = for article in $(1); do \
    install -D -m 644 "$(ARTICLES)/$$article.md" "$(2)/$$article.md"; \
  done

# $(call page,EXECUTABLE): its man page, with the whole paths of the articles.
page = $(1) man | sed 's|[^ ]*share/doc/|$(PREFIX)/share/doc/|'

# `sudo make install` builds nothing in the clone of another user, who could not replace what root builds there.
FOREIGN := $(shell [ -O .build ] && [ -w .build ] || echo yes)
# $(call build,EXECUTABLE,TARGET): the target that builds an executable before it is installed.
build = $(if $(and $(FOREIGN),$(wildcard $(1))),,$(2))

# $(call notice,EXECUTABLE): says that it was not built now.
notice = @$(if $(call build,$(1),built),,echo "Installing what was built before, because .build belongs to another user or cannot be written." >&2)

install: $(call build,$(RELEASE),release) ## * Install the executable, man page, completions and articles (PREFIX=/usr/local, DESTDIR=)
	$(call notice,$(RELEASE))
	install -D -m 755 $(RELEASE) "$(EXECUTABLE)"
	$(call page,$(RELEASE)) | install -D -m 644 /dev/stdin "$(MAN)"
	$(RELEASE) completions bash | install -D -m 644 /dev/stdin "$(BASH_COMPLETION)"
	$(RELEASE) completions zsh | install -D -m 644 /dev/stdin "$(ZSH_COMPLETION)"
	$(RELEASE) completions fish | install -D -m 644 /dev/stdin "$(FISH_COMPLETION)"
	$(call articles,UseTheProgram ThreatModel,$(DOCUMENTS))

SERVICE := .build/release/auth-service
UNITS := $(DESTDIR)/usr/lib/systemd/system
SERVICE_FILES := "$(DESTDIR)$(PREFIX)/bin/auth-service" "$(DESTDIR)$(PREFIX)/share/man/man1/auth-service.1" \
  "$(UNITS)/auth-service.service" "$(UNITS)/auth-service.socket" \
  "$(DESTDIR)/usr/lib/sysusers.d/auth-cli.conf" "$(DESTDIR)/usr/lib/tmpfiles.d/auth-cli.conf" \
  "$(SERVICE_DOCUMENTS)/RunningService.md" "$(SERVICE_DOCUMENTS)/AccountsForYourTool.md" \
  "$(SERVICE_DOCUMENTS)/postgres-tcp.conf"

release-service: setup-release
	.ci/release auth-service

install-service: $(call build,$(SERVICE),release-service) ## Install auth-service, its man page, its articles and its units for systemd (PREFIX=/usr/local, DESTDIR=)
	$(call notice,$(SERVICE))
	install -D -m 755 $(SERVICE) "$(DESTDIR)$(PREFIX)/bin/auth-service"
	$(call page,$(SERVICE)) | install -D -m 644 /dev/stdin "$(DESTDIR)$(PREFIX)/share/man/man1/auth-service.1"
	sed 's|/usr/bin/|$(PREFIX)/bin/|' fixtures/systemd/auth-service.service | \
	  install -D -m 644 /dev/stdin "$(UNITS)/auth-service.service"
	install -D -m 644 fixtures/systemd/auth-service.socket "$(UNITS)/auth-service.socket"
	install -D -m 644 fixtures/systemd/auth-cli.sysusers "$(DESTDIR)/usr/lib/sysusers.d/auth-cli.conf"
	install -D -m 644 fixtures/systemd/auth-cli.tmpfiles "$(DESTDIR)/usr/lib/tmpfiles.d/auth-cli.conf"
	$(call articles,RunningService AccountsForYourTool,$(SERVICE_DOCUMENTS))
	install -D -m 644 fixtures/systemd/postgres-tcp.conf "$(SERVICE_DOCUMENTS)/postgres-tcp.conf"

# $(call remove,FILES,FOLDER): removes files, and the folder that was made for articles. Other folders stay, because other
# programs may rely on one that happens to be empty.
remove = rm -f $(1); [ ! -d "$(2)" ] || rmdir --ignore-fail-on-non-empty "$(2)"

uninstall: ## Remove exactly what install installed (same PREFIX and DESTDIR)
	$(call remove,"$(EXECUTABLE)" "$(MAN)" "$(BASH_COMPLETION)" "$(ZSH_COMPLETION)" "$(FISH_COMPLETION)" \
	  "$(DOCUMENTS)/UseTheProgram.md" "$(DOCUMENTS)/ThreatModel.md",$(DOCUMENTS))

uninstall-service: ## Remove exactly what install-service installed (same PREFIX and DESTDIR)
	$(call remove,$(SERVICE_FILES),$(SERVICE_DOCUMENTS))

deb: setup-packages release release-service ## Write Debian packages of both programs into .build/packages
	.ci/packages deb

dist: setup-packages release release-service ## Write the packages, the sources as a tarball, and SHA256SUMS
	.ci/packages dist

test-packages: setup-packages release release-service ## Build the packages twice, and install, upgrade and remove them in a fresh Debian
	.ci/test-packages

clean: ## Remove everything that was built
	rm -rf .build

setup: version
	@.ci/setup

setup-release: version
	@.ci/setup release

setup-packages: version
	@.ci/setup packages
