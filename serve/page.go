package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"html/template"
	"net/http"

	pages "github.com/mercer-ml/mercer/internal/page"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// page is the one page, whose script asks for the rest. It has no data, so that it needs no token; it asks for one.
type page struct {
	text   []byte
	policy string // that keeps it from loading anything from elsewhere
}

func newPage() page {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(pages.Style() + pageCSS) }, //nolint:gosec // embedded
		"script": func() template.JS { return template.JS(pageJS) },                    //nolint:gosec // embedded
	}).Parse(pageHTML))
	var b bytes.Buffer
	if err := t.Execute(&b, nil); err != nil {
		panic("serve: the page: " + err.Error()) // it has no data
	}
	sum := sha256.Sum256([]byte(pageJS))
	return page{b.Bytes(), "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'self'"}
}

func (p *page) show(w *recorder, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	_, err := w.Write(p.text)
	return err
}
