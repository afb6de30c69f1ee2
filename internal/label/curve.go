package label

// Point is the error that was to be expected once so many rows had a label.
type Point struct {
	Labels int     `json:"labels"`
	Error  float64 `json:"error"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// mostPoints of the curve are worked out of a log, so that a session with many answers begins at once: 200 of 20 000 rows and 10 classes
// take about a second.
const mostPoints = 200

// Curve is the error to expect after each answer that stands, from the first label on: what came of asking. Of the answers that a session
// found in its log some are left out, and the others are judged with the classes that are known now.
func (s *Session) Curve() []Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Point{}
	add := func(p *Point) {
		switch last := len(list) - 1; {
		case p == nil:
		case last >= 0 && list[last].Labels == p.Labels: // a label was asked for again
			list[last] = *p
		default:
			list = append(list, *p)
		}
	}
	add(s.first)
	for i := range s.steps {
		add(s.steps[i].point)
	}
	return list
}

// tell works out the error to expect after an entry, and where that is an answer adds its point to the curve.
func (s *Session) tell(e Entry) {
	s.error = s.expected()
	if !e.Skip && !e.Undo {
		s.steps[len(s.steps)-1].point = s.point()
	}
}

// point is that of the labels as they stand; nil: there are none.
func (s *Session) point() *Point {
	labels := 0
	for _, k := range s.learner.Class {
		if k >= 0 {
			labels++
		}
	}
	if labels == 0 {
		return nil
	}
	return &Point{Labels: labels, Error: s.error.Error, Low: s.error.Low, High: s.error.High}
}

// expected is the error to expect as the labels stand. Cost: n c.
func (s *Session) expected() Estimate {
	l := s.learner
	b := make([]float64, l.classes)
	believed, unknown, checks, mistaken := 0.0, 0, 0, 0
	for i, k := range l.Class {
		switch {
		case k < 0:
			l.Belief(b, i)
			unknown++
			believed += 1 - b[largest(b)]
		case s.marks[i].checked:
			l.LeftOut(b, i)
			checks++
			if largest(b) != k {
				mistaken++
			}
		}
	}
	if unknown > 0 {
		believed /= float64(unknown)
	}
	return newEstimate(believed, checks, mistaken)
}
