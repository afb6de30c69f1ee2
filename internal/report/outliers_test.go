package report

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutliers(t *testing.T) {
	j := &Judged{Kind: "test"}
	for i := range 100 {
		e := float64(i%11)/10 - 0.5
		switch i {
		case 17:
			e = 9
		case 60:
			e = -30
		}
		j.Value, j.Output, j.Row = append(j.Value, 5+e), append(j.Output, 5), append(j.Row, 2*i+1)
	}
	got := outliers(j)
	if got == nil || len(got.Rows) != 2 || got.Rows[0][0] != "121" || got.Rows[1][0] != "35" {
		t.Fatalf("%+v", got)
	}
	for i := range 20 { // more than are listed
		j.Value[i] += 50 + float64(i)
	}
	if got = outliers(j); len(got.Rows) != mostOutliers || !strings.Contains(got.Caption, fmt.Sprintf("The first %d of 21", mostOutliers)) {
		t.Errorf("%+v", got)
	}
	j.Value = append([]float64(nil), j.Output...)
	if got = outliers(j); got != nil {
		t.Errorf("answers that are all met: %+v", got)
	}
	if j.Value[3] += 9; outliers(j) != nil {
		t.Error("of answers that are nearly all met, whose spread is zero, one stands out by any number of it")
	}
	for i := range j.Value { // residuals of 0 to 3, of whom a quarter are 0, half at most 1, and three quarters at most 2
		j.Value[i] = j.Output[i] + float64(i%4)
	}
	least := 3.5*2/1.349 + 1
	for beyond, want := range map[float64]int{-0.001: 0, 0.001: 1} {
		j.Value[3] = j.Output[3] + least + beyond
		if got := outliers(j); (got == nil) != (want == 0) {
			t.Errorf("%g beyond the limit: %+v", beyond, got)
		}
	}
	j.Row = nil
	if got = outliers(j); got != nil {
		t.Errorf("rows without numbers: %+v", got)
	}
}

// TestListedOutliers: ten rows that stand out are listed, of eleven the first ten, which the caption says.
func TestListedOutliers(t *testing.T) {
	for far, says := range map[int]string{10: "", 11: " The first 10 of 11 are shown."} {
		j := &Judged{Kind: "test"}
		for i := range 100 {
			e := float64(i%11)/10 - 0.5
			if i < far {
				e = 50 + float64(i)
			}
			j.Value, j.Output, j.Row = append(j.Value, 5+e), append(j.Output, 5), append(j.Row, i+1)
		}
		got := outliers(j)
		if got == nil || len(got.Rows) != 10 || !strings.HasSuffix(got.Caption, "below the header."+says) {
			t.Errorf("%d rows stand out: %+v", far, got)
		}
	}
}
