package cli

import (
	"fmt"

	"github.com/mercer-ml/mercer/result"
)

// mostMoved are named in a table.
const mostMoved = 10

// drift says whether rows look like those that the model was learned from.
func (s *sheet) drift(d *result.DriftState) {
	switch {
	case d == nil:
		return
	case d.Compared == 0:
		s.line("drift", "the model remembers nothing of its rows that these could be compared with")
		return
	case d.Learned:
		s.line("drift", "none: these are the rows learned from")
		return
	case len(d.Moved) == 0:
		s.line("drift", fmt.Sprintf("none: these rows look like those learned from (%s compared)", count(d.Compared, "distribution")))
		s.line("", fmt.Sprintf("largest distance %s, of %s", short(d.Largest.Distance), moved(*d.Largest)))
	default:
		s.line("drift", fmt.Sprintf("these rows do not look like those learned from: %d of %s moved",
			len(d.Moved), count(d.Compared, "distribution")))
		for _, m := range d.Moved[:min(len(d.Moved), mostMoved)] {
			text := fmt.Sprintf("%s: distance %s", moved(m), short(m.Distance))
			if m.Then != nil && m.Now != nil {
				text += fmt.Sprintf(", median %s then, %s now", short(*m.Then), short(*m.Now))
			}
			s.line("", text)
		}
		if more := len(d.Moved) - mostMoved; more > 0 {
			s.line("", fmt.Sprintf("and %d more; --json lists them", more))
		}
	}
	if d.Unknown != "" {
		s.line("", "not compared: "+d.Unknown)
	}
}

// moved names a quantity.
func moved(m result.Moved) string {
	switch m.What {
	case "column":
		return "column " + m.Name
	case "distance":
		return "the distance to the nearest row learned from"
	}
	return "the output"
}
