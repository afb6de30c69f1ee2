package libsvm

import (
	"bufio"
	"io"
	"strconv"
)

// WriteTo writes the model as svm-train does: fields in its order, those that its
// kernel has. All numbers read back exactly. A model with a fault is an error, and
// nothing is written.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if err := m.Check(); err != nil {
		return 0, err
	}
	c := &counter{w: w}
	out := bufio.NewWriterSize(c, 1<<16)
	line := func(b []byte) { _, _ = out.Write(append(b, '\n')) } // Flush returns the first error
	b := append([]byte("svm_type "), m.Type...)
	b = append(append(b, "\nkernel_type "...), m.Kernel...)
	if m.Kernel == Polynomial {
		b = strconv.AppendInt(append(b, "\ndegree "...), int64(m.Degree), 10)
	}
	if m.Kernel == Polynomial || m.Kernel == RBF || m.Kernel == Sigmoid {
		b = appendNumber(append(b, "\ngamma "...), m.Gamma)
	}
	if m.Kernel == Polynomial || m.Kernel == Sigmoid {
		b = appendNumber(append(b, "\ncoef0 "...), m.Coef0)
	}
	b = strconv.AppendInt(append(b, "\nnr_class "...), int64(m.Classes), 10)
	b = strconv.AppendInt(append(b, "\ntotal_sv "...), int64(m.Len()), 10)
	line(b)
	// Without pairs rho has no value, but stands there.
	line(appendNumbers(append(b[:0], "rho"...), m.Rho))
	if m.Labels != nil {
		line(appendIntegers(append(b[:0], "label"...), m.Labels))
	}
	for _, f := range []struct {
		name  string
		value []float64
	}{{"probA", m.ProbA}, {"probB", m.ProbB}, {"prob_density_marks", m.DensityMarks}} {
		if f.value != nil {
			line(appendNumbers(append(b[:0], f.name...), f.value))
		}
	}
	if m.Counts != nil {
		line(appendIntegers(append(b[:0], "nr_sv"...), m.Counts))
	}
	line(append(b[:0], "SV"...))
	for i := range m.Len() {
		b = b[:0]
		for _, c := range m.Coef {
			b = append(appendNumber(b, c[i]), ' ')
		}
		if m.SV == nil {
			b = append(strconv.AppendInt(append(b, "0:"...), int64(m.Serial[i]), 10), ' ')
		} else {
			idx, val := m.SV.Row(i)
			for p, j := range idx {
				b = append(strconv.AppendInt(b, int64(j)+1, 10), ':')
				b = append(appendFeature(b, val[p]), ' ')
			}
		}
		line(b)
	}
	err := out.Flush()
	return c.n, err
}

func appendNumbers(b []byte, values []float64) []byte {
	for _, v := range values {
		b = appendNumber(append(b, ' '), v)
	}
	return b
}

func appendIntegers(b []byte, values []int) []byte {
	for _, v := range values {
		b = strconv.AppendInt(append(b, ' '), int64(v), 10)
	}
	return b
}

// counter counts the bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
