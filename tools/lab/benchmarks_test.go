package main

import (
	"strings"
	"testing"
)

// The figures of a benchmark are the medians of its runs, in the units that it reports.
func TestParse(t *testing.T) {
	const text = `goos: linux
pkg: example.org/m/solve
BenchmarkPath/long-2   	       3	 2000000000 ns/op	        12.5 columns
BenchmarkPath/long-2   	       3	 4000000000 ns/op	        14.5 columns
BenchmarkPath/long-2   	       3	 3000000000 ns/op	        13.0 columns
    path_test.go:1: a remark
BenchmarkOther-2       	       1	        10 MB/s
PASS
`
	all := parseBenchmarks(strings.NewReader(text))
	if len(all) != 2 || all[0].name != "solve: Path/long" || all[1].name != "solve: Other" {
		t.Fatalf("%+v", all)
	}
	if got := figure(median(all[0].values["ns/op"]), "ns/op") + ", " + figure(median(all[0].values["columns"]), "columns"); got !=
		"3 s, 13 columns" {
		t.Error(got)
	}
	if m := median([]float64{4, 1}); m != 2.5 {
		t.Errorf("median %g", m)
	}
}
