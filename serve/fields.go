package serve

import (
	"net/http"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/columns"
)

// mostFields is the number of columns up to which the page has a field for each.
const mostFields = 60

// field is a column as the page asks for it.
type field struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`            // number, words, date or text
	Words   []string `json:"words,omitempty"` // to choose from
	Example string   `json:"example,omitempty"`
}

// fields answers GET /fields/NAME: the columns of a row, of at most mostFields.
func (s *Server) fields(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), "")
	if err != nil {
		return err
	}
	w.model = l.name
	return object(w, struct {
		Fields []field `json:"fields"`
	}{l.fields()})
}

func (l *loaded) fields() []field {
	list := []field{}
	if names := l.columns(); l.Table == nil && len(names) <= mostFields {
		kind := "number"
		if l.Text != nil {
			kind = "text"
		}
		for _, name := range names {
			list = append(list, field{Name: name, Kind: kind})
		}
		if k, err := l.kept(); err == nil && !l.reads() && !k.Rows.IsSparse() && len(list) > 0 {
			for j, v := range k.Rows.Dense.RawRowView(0) {
				list[j].Example = exampleCell(v)
			}
		}
	}
	if l.Table == nil {
		return list
	}
	example := columns.Example(l.Table)
	for i := range l.Table.Columns {
		c := &l.Table.Columns[i]
		if !c.Feature() {
			continue
		}
		one := field{Name: c.Name, Kind: "words", Words: c.Levels, Example: example[len(list)]}
		switch c.Kind {
		case data.KindNumber:
			one.Kind, one.Words = "number", nil
		case data.KindDate:
			one.Kind, one.Words = "date", nil
		}
		list = append(list, one)
	}
	if len(list) > mostFields {
		return []field{}
	}
	return list
}

// exampleCell is a value of a kept row without the last digits, which scaling and its inverse have rounded: 0.2, not 0.19999999999999996.
func exampleCell(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }
