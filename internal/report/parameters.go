package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/result"
)

// plainKernel is a kernel's name without the values of its parameters.
func plainKernel(spec string) string {
	if i := strings.IndexByte(spec, '('); i >= 0 && strings.HasSuffix(spec, ")") && strings.Count(spec, "(") == 1 {
		return spec[:i]
	}
	return spec
}

// parameterMeaning explains a parameter of a method by its declaration, also that of a term of a
// sum (1.sigma).
func parameterMeaning(id, parameter string) string {
	if _, own, ok := strings.Cut(parameter, "."); ok {
		parameter = own
	}
	return method.Meaning(id, parameter)
}

// How many parameters the table lists, and how many of one a feature singly.
const (
	mostParameters = 40
	fewValues      = 6
)

// parameters are those chosen.
func (r *Run) parameters() Section {
	s := Section{ID: "parameters", Title: "What was chosen"}
	res := r.Result
	names := slices.SortedFunc(maps.Keys(res.Params), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	t := &Table{Text: []bool{true, false, true}, Head: []string{"parameter", "value", "meaning"}, Rows: [][]string{
		{"method", res.Method, methodName(res.Method)}, {"kernel", clip(plainKernel(res.Kernel)), "similarity of two rows"},
	}}
	lists := map[string][]float64{} // of one value a feature
	for _, name := range names {
		if id, _, several := strings.Cut(name, "["); several {
			if v, ok := res.Params[name].(float64); ok {
				lists[id] = append(lists[id], v)
			}
		}
	}
	told := map[string]bool{}
	for _, name := range names {
		if id, _, several := strings.Cut(name, "["); several && len(lists[id]) > fewValues {
			if !told[id] {
				lo, hi, _ := span(lists[id])
				value := number(lo) + " to " + number(hi)
				if lo == hi {
					value = number(lo)
				}
				t.Rows = append(t.Rows, []string{fmt.Sprintf("%d of %s[...]", len(lists[id]), id), value, parameterMeaning(res.Method, id)})
				told[id] = true
			}
			continue
		}
		if len(t.Rows) == mostParameters {
			t.Caption = fmt.Sprintf("%d of %d parameters", len(t.Rows)-2, len(names))
			break
		}
		value := clip(strings.Trim(fmt.Sprint(res.Params[name]), "[]"))
		if v, ok := res.Params[name].(float64); ok {
			value = number(v)
		}
		id, _, _ := strings.Cut(name, "[")
		t.Rows = append(t.Rows, []string{name, value, parameterMeaning(res.Method, id)})
	}
	if len(res.Members) > 1 {
		s.add(
			Block{
				Text: fmt.Sprintf("The model is the mean of %d others, its members; these are the parameters of the best of them.", len(res.Members)),
			},
		)
	}
	tables := []*Table{t}
	if len(res.Members) > 1 {
		tables = append(tables, r.members())
	}
	s.add(Block{Tables: tables})
	if res.Support > 0 {
		s.add(
			Block{
				Text: fmt.Sprintf(
					"%s of %d labelled rows have a coefficient (support vectors).",
					sentence(brief.Count(res.Support, "row")),
					res.Rows.Labelled,
				),
			},
		)
	}
	if len(res.Selected) > 0 {
		s.add(
			Block{
				Text: fmt.Sprintf(
					"Kept are %d of %s: %s.",
					len(res.Selected),
					brief.Count(res.Rows.Features, "feature"),
					strings.Join(res.Selected, ", "),
				),
			},
		)
	}
	return s
}

// members is the table of the machines averaged, those of most weight first.
func (r *Run) members() *Table {
	const most = 10
	list := slices.Clone(r.Result.Members)
	perClass := list[0].Class != ""
	total := 0.0
	for _, m := range list {
		total += m.Weight
	}
	if !perClass {
		slices.SortStableFunc(list, func(a, b result.Member) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	t := &Table{Caption: "The members of most weight", Head: []string{"member", "weight", "score", "sigma", "neighbours", "degree"}}
	if perClass {
		t.Caption, t.Head[0] = "A model a class", "class"
	}
	if list[0].Error != nil { // of a stack
		t.Head = []string{"member", "weight", "score", "error left out"}
	}
	for _, m := range list[:min(most, len(list))] {
		name := clip(m.Method + ", " + m.Kernel)
		if perClass {
			name = m.Class
		}
		row := []string{name, percent(m.Weight / total), number(m.Score)}
		for _, p := range t.Head[3:] {
			cell, v := "-", m.Params[p]
			if m.Error != nil {
				v = *m.Error
			}
			switch v := v.(type) {
			case float64:
				cell = number(v)
			case int:
				cell = strconv.Itoa(v)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mostRelevant is how many features the table lists.
const mostRelevant = 20

// relevance lists the columns by their share in the change of the outputs.
func (r *Run) relevance() Section {
	s := Section{ID: "relevance", Title: "What the columns count"}
	list := r.Result.Relevance
	if len(list) < 2 {
		return s
	}
	t := &Table{Head: []string{"column", "share"}, Text: []bool{true, true}, Caption: "Share in the change of the outputs"}
	shown := list[:min(mostRelevant, len(list))]
	for _, f := range shown {
		t.Rows, t.Bars = append(t.Rows, []string{clip(f.Name), percent(f.Share)}), append(t.Bars, f.Share/max(list[0].Share, 1e-300))
	}
	if rest := list[len(shown):]; len(rest) > 0 {
		t.Caption += fmt.Sprintf(", the first %d of %d columns", len(shown), len(list))
	}
	s.add(
		Block{Tables: []*Table{t}},
		Block{
			Text: "The cells of one column at a time were those of other rows. A large share means that the model's outputs then change " +
				"much; it does not mean that the column causes the answer.",
		},
	)
	return s
}
