package report

import (
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of the figures. In the page each is replaced by a variable
// (variables), so that figures follow the reader's light or dark scheme; PNG files keep these.
var (
	paper = color.RGBA{0xFF, 0xFF, 0xFE, 0xFF} // not quite white: white is drawn by nothing else
	ink   = color.RGBA{0x1F, 0x23, 0x28, 0xFF}
	muted = color.RGBA{0x59, 0x63, 0x6E, 0xFF}
	rule  = color.RGBA{0xD1, 0xD9, 0xE0, 0xFF}
)

// classColours are the colours of Okabe and Ito (2008), which readers with any of the
// common colour deficiencies tell apart, the yellow darkened to be seen on white.
var classColours = [...]color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // green
	{0xCC, 0x79, 0xA7, 0xFF}, // purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky
	{0xA8, 0x9A, 0x00, 0xFF}, // yellow
	{0x4D, 0x53, 0x5A, 0xFF}, // grey
}

// classColour is the colour of class k.
func classColour(k int) color.RGBA { return classColours[k%len(classColours)] }

// faded is a colour with the opacity share.
func faded(c color.RGBA, share float64) color.Color {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(255 * share))}
}

// variables are the names in the style sheet (package page) of the colours of figures.
func variables() map[color.RGBA]string {
	of := map[color.RGBA]string{paper: "--paper", ink: "--ink", muted: "--muted", rule: "--rule"}
	for k, c := range classColours {
		of[c] = "--class-" + strconv.Itoa(k)
	}
	for k, c := range viridis {
		of[c] = "--shade-" + strconv.Itoa(k)
	}
	return of
}

// Attributes of a drawing and the colours in them. Texts have no quotes: the writer
// escapes them.
var (
	svgStyle  = regexp.MustCompile(`style="[^"]*"`)
	svgColour = regexp.MustCompile(`#[0-9A-F]{6}`)
)

// variable replaces the colours of a drawing by the variables of the page. The writer of
// drawings rounds the channels of translucent colours down.
func variable(body string) string {
	known := variables()
	near := func(a, b uint8) bool { return a == b || a+1 == b }
	name := func(hex string) string {
		v, err := strconv.ParseUint(hex[1:], 16, 32)
		if err != nil {
			return hex
		}
		r, g, b := uint8(v>>16), uint8(v>>8&0xFF), uint8(v&0xFF) //nolint:gosec // three bytes of six digits
		for c, of := range known {
			if near(r, c.R) && near(g, c.G) && near(b, c.B) {
				return "var(" + of + ")"
			}
		}
		return hex
	}
	return svgStyle.ReplaceAllStringFunc(body, func(style string) string { return svgColour.ReplaceAllStringFunc(style, name) })
}

// viridis are nine points of the map of van der Walt and Smith (2015), violet to yellow,
// even in lightness also for readers who see no colours.
var viridis = [...]color.RGBA{
	{0x44, 0x01, 0x54, 0xFF}, {0x47, 0x2D, 0x7B, 0xFF}, {0x3B, 0x52, 0x8B, 0xFF}, {0x2C, 0x72, 0x8E, 0xFF}, {0x21, 0x91, 0x8C, 0xFF},
	{0x28, 0xAE, 0x80, 0xFF}, {0x5E, 0xC9, 0x62, 0xFF}, {0xAD, 0xDC, 0x30, 0xFF}, {0xFD, 0xE7, 0x25, 0xFF},
}

// shade is the colour next to t in [0, 1], violet at 0. There are nine, so that each has
// its variable in the page.
func shade(t float64) color.RGBA {
	last := len(viridis) - 1
	return viridis[max(0, min(last, int(math.Round(t*float64(last)))))]
}

// sans is the typeface of figures: its metrics are those of Arial and Helvetica.
func sans(size vg.Length, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = 3 // WeightBold of golang.org/x/image/font
	}
	return f
}

// Sizes of text in figures, in points of figures 440 wide, which a narrow telephone shows
// three quarters as large and a desk at a fifth more.
const (
	titleSize = 14
	labelSize = 12
	tickSize  = 11
)

// newPlot is an empty plot in the report's style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = paper
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(titleSize, true), ink
	p.Title.Padding = 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color = muted
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans(labelSize, false), ink
		a.Label.Padding = 4
		a.Tick.Label.Font, a.Tick.Label.Color = sans(tickSize, false), muted
		a.Tick.Color = rule
		a.LineStyle.Color = rule
		a.Tick.Length = 4
		a.Padding = 4
		a.Tick.Marker = linearTicks{}
	}
	return p
}

// linearTicks labels round numbers, some five of them.
type linearTicks struct{}

// Ticks implements plot.Ticker.
func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) {
		return []plot.Tick{{Value: lo, Label: number(lo)}}
	}
	const few = 5
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/few)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*by) <= few {
			step *= by
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		v := k*step + 0 // not -0
		label := strconv.FormatFloat(v, 'f', digits, 64)
		if digits > 4 || math.Abs(v) >= 1e6 {
			label = number(v)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// wholeTicks are linearTicks at whole numbers only.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (linearTicks{}).Ticks(lo, hi) {
		if t.Value == math.Trunc(t.Value) {
			t.Label = strconv.FormatFloat(t.Value, 'f', 0, 64)
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logTicks labels powers of ten, at most six of them; below two decades 1, 2 and 5 times
// those; within less than a factor of two what linearTicks labels.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(lo > 0 && hi > 2*lo) {
		return linearTicks{}.Ticks(lo, hi)
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	by, mantissas := 1.0, []float64{1}
	if hi/lo < 100 {
		mantissas = []float64{1, 2, 5}
	} else {
		by = math.Ceil((last - first) / 6)
	}
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for _, m := range mantissas {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if math.Mod(e, by) == 0 {
				t.Label = number(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logarithmic makes an axis from lo to hi > lo > 0 logarithmic.
func logarithmic(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, logTicks{}
}

// room makes an axis range from lo to hi with a margin of share of it at each end, in the
// scale of the axis, and never empty.
func room(a *plot.Axis, lo, hi, share float64) {
	if _, ok := a.Scale.(plot.LogScale); ok && lo > 0 {
		f := math.Pow(hi/lo, share)
		if !(f > 1+1e-9) {
			f = 1.1
		}
		a.Min, a.Max = lo/f, hi*f
		return
	}
	d := share * (hi - lo)
	if !(d > 0) {
		d = max(1e-3*math.Abs(lo), 1e-12)
	}
	a.Min, a.Max = lo-d, hi+d
}

// span is the range of the finite values; ok is false without any.
func span(values []float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi, ok = min(lo, v), max(hi, v), true
		}
	}
	return lo, hi, ok
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Marks of classes: shapes differ as colours do, for those who see no colours.
var shapes = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}, draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	diamond{},
}

// outlined draws a glyph on a larger one in ink, so that it stands out from a ground of its
// own colour.
type outlined struct{ draw.GlyphDrawer }

// DrawGlyph implements draw.GlyphDrawer.
func (h outlined) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	back := s
	back.Radius++
	back.Color = ink
	c.SetColor(back.Color)
	h.GlyphDrawer.DrawGlyph(c, back, at)
	c.SetColor(s.Color)
	h.GlyphDrawer.DrawGlyph(c, s, at)
}

// diamond is a square on its corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := 1.2 * s.Radius
	var p vg.Path
	p.Move(vg.Point{X: at.X, Y: at.Y + r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y})
	p.Line(vg.Point{X: at.X, Y: at.Y - r})
	p.Line(vg.Point{X: at.X - r, Y: at.Y})
	p.Close()
	c.Fill(p)
}

// number prints a number with three significant digits, whole numbers up to a million in
// full, as people read it.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsInf(v, 1):
		return "none"
	case math.IsNaN(v):
		return "-"
	case a < 1e6 && (a >= 1000 || v == math.Trunc(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok { // 1e-06 is 1e-6
		sign := ""
		if exponent[0] == '-' {
			sign = "-"
		}
		s = mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
	}
	return s
}

// percent prints a share, its sign on the same line.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "\u00a0%" }
