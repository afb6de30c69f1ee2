# make ci runs what continuous integration runs; the rest are its parts.
LINT = go tool -modfile=tools/pins/go.mod golangci-lint
BENCHSTAT = go tool -modfile=tools/pins/go.mod benchstat

.PHONY: build test test-fused race lint unreached fuzz bench bench-peers reproduce screenshot serving-picture try site results-check results release vulnerabilities mutants ci ci-all

build: ## the program, ./mercer
	go build -o mercer ./cmd/mercer

test:
	go test ./...

test-fused: ## the arithmetic of arm64, on an amd64 of level v3: a product and a sum are rounded once, without assembler
	GOAMD64=v3 go test -tags noasm -timeout 60m ./...

race:
	go test -race -short ./...

lint:
	gofmt -l . | (! grep .)
	go vet ./...
	$(LINT) run ./...

unreached: ## functions that no program and no example reaches
	go run ./tools/unreached

results-check: ## pages of docs/results that were measured with other code; run for a release
	go run ./tools/results

results: ## these pages, written anew by the commands in their headings
	go run ./tools/results -anew '.*' -data $(DATA)

FUZZTIME = 10s
fuzz: ## every fuzz target for FUZZTIME
	@set -e; for p in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; \
		done; \
	done

COUNT = 6
bench: ## speed and memory; tools/lab/README.md
	go -C tools/lab test -run '^$$' -bench . -benchtime 5x -count $(COUNT) -timeout 2h ./bench | tee bench.out
	$(BENCHSTAT) bench.out

DATA = ../shared/data
bench-peers: ## against LIBSVM's svm-train, on the files in DATA
	go -C tools/lab run . peers --data $(DATA)

reproduce: build ## every published experiment, to docs/results; docs/datasets.md says what DATA holds
	@set -e; spoken=$$(test ! -e $(DATA)/isolet1.csv.gz || echo sindhwani-f2.6 sindhwani-f2.7); \
	for id in $$(./mercer reproduce | awk 'NR > 1 && !/not available/ { print $$1 }') $$spoken; do \
		./mercer reproduce $$id --data $(DATA) --markdown docs/results/reproduce-$$id.md; \
	done

SHOT = chromium --headless=new --no-sandbox --hide-scrollbars --force-device-scale-factor=1
screenshot: build ## docs/report.png and docs/label.png, as Debian's chromium shows them
	./mercer fit two-moons --labels-per-class 5 --quiet --report report.tmp
	$(SHOT) --window-size=1280,1560 --screenshot=docs/report.png file://$(CURDIR)/report.tmp/index.html
	rm -r report.tmp
	mkdir label.tmp
	./mercer label digits --image 8x8 --labels-per-class 2 --port 8765 --log label.tmp/log --labelled label.tmp/digits.csv & \
		for i in 1 2 3 4 5 6 7 8 9; do sleep 2; curl -s http://127.0.0.1:8765/question && break; done; \
		$(SHOT) --window-size=1280,1280 --virtual-time-budget=5000 --screenshot=docs/label.png http://127.0.0.1:8765/; \
		kill $$!; wait
	rm -r label.tmp

VULNERABILITIES = https://vuln.go.dev
vulnerabilities: ## known ones in code that is called, of all modules; the database is an address or a folder, as file:///DIR
	@set -e; for m in . arrow beam tools/lab tools/site; do \
		echo "$$m"; go run golang.org/x/vuln/cmd/govulncheck@latest -db $(VULNERABILITIES) -C $$m ./...; \
	done

serving-picture: build ## docs/serving.png, the page of mercer serve, as Debian's chromium shows it
	mkdir serving.tmp
	./mercer fit iris --quiet -o serving.tmp/iris.mercer
	./mercer serve serving.tmp/iris.mercer --listen 127.0.0.1:8089 --quiet & pid=$$!; sleep 2; \
	chromium --headless=new --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --window-size=1280,1000 --virtual-time-budget=5000 \
		--screenshot=docs/serving.png 'http://127.0.0.1:8089/#iris?example'; kill $$pid
	rm -r serving.tmp

TRY = docs/try
try: ## Mercer for the browser, beside the page docs/try/index.html, which any server of files can then show
	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o $(TRY)/mercer.wasm ./docs/try/wasm
	gzip -9 -f $(TRY)/mercer.wasm
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(TRY)/

VERSION = dev
SITE = site
site: ## the documents as pages, to SITE/VERSION; SITE/index.html leads to the newest version there
	go -C tools/site run . -o $(abspath $(SITE)) -version $(VERSION)

RELEASE = release
release: ## archives and wheels of the program for all platforms, SBOMs and SHA256SUMS, to RELEASE: make release VERSION=v0.1.0
	go run ./tools/release -version $(VERSION) -o $(RELEASE)

SEED = 1
mutants: ## faults put in on purpose, and which of them the tests find
	go run ./tools/mutants -n 100 -seed $(SEED)

ci: ## what continuous integration runs for every change
	bash .ci/run

ci-all: ## the same with every test in its whole length, and the race detector over more packages; before a release
	bash .ci/run all
