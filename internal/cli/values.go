package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// byteCount is a number of bytes with an optional suffix: K, M, G, T in powers of
// 1000, Ki, Mi, Gi, Ti in powers of 1024, each with or without a final B.
type byteCount int64

// UnmarshalText reads 512Mi, 4G, 4GiB, 1000000.
func (b *byteCount) UnmarshalText(text []byte) error {
	s := strings.TrimSuffix(strings.TrimSpace(string(text)), "B")
	unit := 1.0
	base := 1000.0
	if t, ok := strings.CutSuffix(s, "i"); ok {
		s, base = t, 1024
	}
	if n := len(s); n > 0 {
		if k := strings.IndexByte("KMGT", s[n-1]); k >= 0 {
			s, unit = s[:n-1], math.Pow(base, float64(k+1))
		} else if base == 1024 {
			s = "" // 5i
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	v *= unit
	if err != nil || !(v >= 1 && v < math.MaxInt64) {
		return fmt.Errorf("%q is no number of bytes; write 4Gi, 512M or 1000000", text)
	}
	*b = byteCount(v)
	return nil
}

// limit is a positive duration: 90s, 10m, 1h30m, or a number of seconds.
type limit time.Duration

// UnmarshalText reads a duration.
func (l *limit) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time; write 90s, 10m or 1h30m", text)
	}
	*l = limit(d)
	return nil
}

// rowRange is a row, from 0, or rows from one to another: 7, 0..99.
type rowRange struct{ first, last int }

// UnmarshalText reads a row or a range.
func (r *rowRange) UnmarshalText(text []byte) error {
	first, last, isRange := strings.Cut(string(text), "..")
	if !isRange {
		last = first
	}
	var wrong [2]error
	r.first, wrong[0] = strconv.Atoi(strings.TrimSpace(first))
	r.last, wrong[1] = strconv.Atoi(strings.TrimSpace(last))
	switch {
	case wrong != [2]error{}:
		return fmt.Errorf("%q is no row; write its number, as 7, or a range, as 0..99", text)
	case r.first < 0:
		return fmt.Errorf("%s: rows count from 0", text)
	case r.last < r.first:
		return fmt.Errorf("%s ends before it begins; write %d..%d", text, r.last, r.first)
	}
	return nil
}

// short prints a number with three significant digits, whole numbers up to a
// million in full, as people read it.
func short(v float64) string {
	if a := math.Abs(v); a < 1e6 && (a >= 1000 || v == math.Trunc(v)) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
