// Package shardtest makes tables for tests of fits over shards: the same rows in one file and in shards of unequal sizes.
package shardtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Table is generated text: a header, "" of LIBSVM, and rows.
type Table struct {
	Header, Ending string
	Rows           []string
}

// Generated has n rows of five columns and a label made of them.
func Generated(n int, label func(r *rand.Rand, x []float64) string) Table {
	r := rand.New(rand.NewPCG(3, 9))
	t := Table{Header: "a,b,c,d,e,label", Ending: ".csv"}
	for range n {
		x := make([]float64, 5)
		var cells []string
		for j := range x {
			x[j] = r.NormFloat64()*float64(1+3*j) + 7
			cells = append(cells, fmt.Sprint(x[j]))
		}
		t.Rows = append(t.Rows, strings.Join(append(cells, label(r, x)), ","))
	}
	return t
}

// Written writes the rows to one file, and to shards.
func (t Table) Written(tb testing.TB) (whole string, shards []string) {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name string, rows []string) string {
		path := filepath.Join(dir, name+t.Ending)
		text := strings.Join(rows, "\n") + "\n"
		if t.Header != "" {
			text = t.Header + "\n" + text
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for k, lo := 0, 0; lo < len(t.Rows); k++ {
		hi := min(len(t.Rows), lo+40+37*(k%3))
		shards = append(shards, write(fmt.Sprintf("part-%02d", k), t.Rows[lo:hi]))
		lo = hi
	}
	return write("whole", t.Rows), shards
}

// Large is the table with a cell of 1e300 in the first column of its row 100, the square of which overflows.
func (t Table) Large() Table {
	t.Rows = slices.Clone(t.Rows)
	_, rest, _ := strings.Cut(t.Rows[100], ",")
	t.Rows[100] = "1e300," + rest
	return t
}

// Number is a label that is measured.
func Number(r *rand.Rand, x []float64) string {
	return fmt.Sprint(2 + x[0] - 0.3*x[3] + r.NormFloat64())
}

// Kind is a label of so many classes, missing in a share of the rows.
func Kind(classes int, unlabelled float64) func(*rand.Rand, []float64) string {
	return func(r *rand.Rand, x []float64) string {
		if r.Float64() < unlabelled {
			return ""
		}
		return fmt.Sprintf("k%d", min(classes-1, max(0, int(math.Floor((x[0]-6+r.NormFloat64()*0.7)/2*float64(classes))))))
	}
}

// Sparse is LIBSVM text of two classes, whose later rows have further columns.
func Sparse() Table {
	t := Generated(300, Kind(2, 0))
	t.Header, t.Ending = "", ".svm"
	for i, row := range t.Rows {
		cells := strings.Split(row, ",")
		line := []string{strings.TrimPrefix(cells[5], "k")}
		for j := range 5 {
			if (i+j)%3 > 0 {
				line = append(line, fmt.Sprintf("%d:%s", j+1+i/100, cells[j]))
			}
		}
		t.Rows[i] = strings.Join(line, " ")
	}
	return t
}

// Counts are sparse rows without a negative value, some of them unlabelled.
func Counts() Table {
	t := Sparse()
	for i, row := range t.Rows {
		row = strings.ReplaceAll(row, ":-", ":")
		if _, words, _ := strings.Cut(row, " "); i%7 == 3 {
			row = "? " + words
		}
		t.Rows[i] = row
	}
	return t
}

// Tree works on n shards and joins what it finds in groups of so many neighbours, as the pipeline does.
func Tree[T any](n, fan int, join func(a, b *T), each func(i int) (*T, error)) (*T, error) {
	var list []*T
	for i := range n {
		v, err := each(i)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	for len(list) > 1 {
		var next []*T
		for group := range slices.Chunk(list, fan) {
			for _, v := range group[1:] {
				join(group[0], v)
			}
			next = append(next, group[0])
		}
		list = next
	}
	return list[0], nil
}
