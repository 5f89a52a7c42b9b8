# pixlab: "make" alone says what there is to make.
#
# Everything needs Go and nothing else. The race detector needs a C compiler
# too; where there is none, "make test" says so and goes on without it.

.POSIX:
.SUFFIXES:

GO       = go
SEED     = 42
FUZZTIME = 10s
BENCH    = .
ROUNDS   = 5

# The counts of a soak; see docs/determinism.md.
PIXLAB_SEEDS       = 2000
PIXLAB_KIND_SEEDS  = 200
PIXLAB_TWICE_SEEDS = 300
PIXLAB_EXPLORE_SEEDS = 4000
PIXLAB_BROKEN_PAGE = 1
PIXLAB_CHECKS      = 20000
RAPID_CHECKS       = 5000
PIXLAB_PG_CHECKS   = 300
PIXLAB_PG_PLANS    = 200
PIXLAB_RACE_ROUNDS = 200
PIXLAB_FLOOD       = 30s

# Those of live runs: kills of a receiver and of the database, seeds, rounds of
# copies and of refunds at once, callbacks of a storm.
LIVE = PIXLAB_KILLS=200 PIXLAB_PAYOUT_KILLS=100 PIXLAB_DATABASE_KILLS=20 PIXLAB_LIVE_SEEDS=20 PIXLAB_POST_ROUNDS=20 PIXLAB_REFUND_ROUNDS=100 PIXLAB_STORM=10000

# What rapid draws from in "make test": the same draws every time, so that a
# green run is green again. "make soak" draws afresh.
RAPID_SEED = 1

# Packages with locks of their own, used from more than one goroutine.
RACE = ./fakepsp/... ./receiver/... ./cmd/...

# Long searches in which each goroutine has a world of its own: smaller ones
# show the race detector as much, and "go test ./..." runs these too.
RACE_SKIP = ^(TestBrokenOnesAreCaught|TestPlantedChanceIsFound|TestInevitableNamesTheTurningPoint)$$

help: ## Say what there is to make
	@echo 'usage: make TARGET [NAME=VALUE]'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

setup: postgres chromium ## Fetch the modules, build every package once, see to a PostgreSQL
	$(GO) mod download
	$(GO) build ./...

# The tests start a PostgreSQL of their own from the server's binaries. Where
# none are found and no URL or Docker engine stands in, root on Debian or Ubuntu
# gets the distribution's package, without a server that runs.
postgres:
	@if [ -n "$$PIXLAB_DATABASE_URL" ] || command -v initdb >/dev/null 2>&1 || \
		ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /opt/homebrew/opt/postgresql*/bin/initdb \
			/usr/local/opt/postgresql*/bin/initdb /Applications/Postgres.app/Contents/Versions/*/bin/initdb 2>/dev/null | grep -q . || \
		docker info >/dev/null 2>&1; then :; \
	elif [ "`id -u`" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo 'no PostgreSQL found: installing the distribution'"'"'s package'; \
		mkdir -p /etc/postgresql-common && \
		{ [ -f /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf; } && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; \
	else \
		echo 'no PostgreSQL found: the tests on it will be skipped. Install the server of 14 or newer,'; \
		echo 'or set PIXLAB_DATABASE_URL, or start a Docker engine.'; \
	fi

# The pages are tested in a browser; the tests are skipped where there is none.
chromium:
	@if [ -n "$$PIXLAB_CHROMIUM" ] || command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; then :; \
	elif [ "`id -u`" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo 'no Chromium found: installing the distribution'"'"'s package'; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
		echo 'no Chromium found: the tests in a browser will be skipped.'; \
	fi

build: ## Build bin/pixlab
	$(GO) build -o bin/pixlab ./cmd/pixlab

run: ## Run one seed in the model world (SEED=42)
	$(GO) run ./cmd/pixlab run --seed $(SEED)

demo: build ## Show it live in a browser: two receivers, one plan, buttons that break things
	bin/pixlab demo --seed $(SEED)

pictures: build ## Take the pictures of the README anew; needs Chromium
	PIXLAB_REQUIRE_CHROMIUM=1 PIXLAB_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count=1 ./demo -run TestPictures

test: postgres vet format race ## Check everything: vet, format, race detector, all tests
	RAPID_SEED=$(RAPID_SEED) $(GO) test ./...
	RAPID_SEED=$(RAPID_SEED) $(GO) test ./proptest -pg

vet:
	$(GO) vet ./...

format:
	@out=`gofmt -l .` || exit 1; \
	if [ -n "$$out" ]; then echo 'gofmt would change:'; echo "$$out"; exit 1; fi

race:
	@if [ "`$(GO) env CGO_ENABLED`" = 1 ] && command -v "`$(GO) env CC`" >/dev/null 2>&1; then \
		echo '$(GO) test -race $(RACE)'; RAPID_SEED=$(RAPID_SEED) $(GO) test -race -skip '$(RACE_SKIP)' $(RACE); \
	else \
		echo 'no C compiler: the race detector is left out'; \
	fi

fuzz: ## Fuzz every fuzz target for a while (FUZZTIME=10s)
	@grep -rn '^func Fuzz' --include='*_test.go' . | sed 's/^\(.*\)\/[^/]*:[0-9]*:func \(Fuzz[A-Za-z0-9_]*\).*/\1 \2/' | sort -u | \
	while read -r dir name; do \
		echo "$(GO) test $$dir -run '^$$' -fuzz ^$$name\$$ -fuzztime $(FUZZTIME)"; \
		$(GO) test "$$dir" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) </dev/null || exit 1; \
	done

soak: ## All tests on more seeds and checks (PIXLAB_SEEDS, PIXLAB_CHECKS, RAPID_CHECKS)
	PIXLAB_SEEDS=$(PIXLAB_SEEDS) PIXLAB_KIND_SEEDS=$(PIXLAB_KIND_SEEDS) PIXLAB_TWICE_SEEDS=$(PIXLAB_TWICE_SEEDS) \
	PIXLAB_EXPLORE_SEEDS=$(PIXLAB_EXPLORE_SEEDS) PIXLAB_BROKEN_PAGE=$(PIXLAB_BROKEN_PAGE) \
	PIXLAB_CHECKS=$(PIXLAB_CHECKS) RAPID_CHECKS=$(RAPID_CHECKS) PIXLAB_PG_PLANS=$(PIXLAB_PG_PLANS) $(LIVE) \
	PIXLAB_RACE_ROUNDS=$(PIXLAB_RACE_ROUNDS) PIXLAB_FLOOD=$(PIXLAB_FLOOD) \
		$(GO) test -count=1 -timeout=4h ./...
	PIXLAB_PG_CHECKS=$(PIXLAB_PG_CHECKS) $(GO) test -count=1 -timeout=4h ./proptest -pg

bench: build ## Measure whole runs a second, one large plan, and the parts (BENCH=regexp)
	bin/pixlab bench
	bin/pixlab bench --large
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

loads: build ## Measure a receiver on PostgreSQL under load, pgbench beside it (ROUNDS=5); count debits
	bin/pixlab load --suite --rounds $(ROUNDS)
	bin/pixlab load --payouts 1000 --receivers 2 --redeliver 30%

golden: ## Write the golden files anew, after a bump of the generator
	@grep -rl 'flag.Bool("update"' --include='*_test.go' . | sed 's/\/[^/]*$$//' | sort -u | \
	while read -r dir; do \
		echo "$(GO) test -count=1 $$dir -run Golden -update"; \
		$(GO) test -count=1 "$$dir" -run Golden -update </dev/null || exit 1; \
	done

# Hexadecimal digits are base64 too, as the callback secret wants it.
env: ## Write .env, the secrets of docker-compose.yml, drawn afresh
	@if [ -e .env ]; then echo '.env is there already; remove it first'; exit 1; fi
	@umask 077; draw() { od -An -tx1 -N24 /dev/urandom | tr -d ' \n'; }; \
	{ echo "PIXLAB_CALLBACK_SECRET=k1:`draw`"; \
	for name in CLIENT_SECRET API_TOKEN ADMIN_TOKEN LAB_TOKEN POSTGRES_PASSWORD; do echo "PIXLAB_$$name=`draw`"; done; } >.env
	@echo 'wrote .env; now: docker compose up --build'

clean: ## Remove what was built and what failed runs left in this folder
	rm -rf bin
	rm -f pixlab-plan-*.json pixlab-explore-*.json pixlab-shrunk-*.json

.PHONY: help setup postgres chromium build run demo pictures test vet format race fuzz soak bench loads golden env clean
