package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/results"
)

// routes registers all that is answered.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.handle("GET /v2/health/live", true, func(w *recorder, _ *http.Request) error { return object(w, map[string]bool{"live": true}) })
	s.handle("GET /v2/health/ready", true, s.ready)
	s.handle("GET /v2", false, s.about)
	s.handle("GET /v2/models/{name}", false, s.describe)
	s.handle("GET /v2/models/{name}/versions/{version}", false, s.describe)
	s.handle("GET /v2/models/{name}/ready", false, s.modelReady)
	s.handle("GET /v2/models/{name}/versions/{version}/ready", false, s.modelReady)
	s.handle("POST /v2/models/{name}/infer", false, s.infer)
	s.handle("POST /v2/models/{name}/versions/{version}/infer", false, s.infer)
	s.handle("POST /v2/repository/index", false, s.index)
	s.handle("POST /v2/repository/models/{name}/load", false, s.loadModel)
	s.handle("POST /v2/repository/models/{name}/unload", false, s.unloadModel)
	s.handle("POST /predict", false, s.predict)
	s.handle("POST /predict/{name}", false, s.predict)
	s.handle("POST /nearest/{name}", false, s.nearest)
	s.handle("GET /example/{name}", false, s.example)
	s.handle("GET /fields/{name}", false, s.fields)
	s.handle("GET /model", false, s.card)
	s.handle("GET /model/{name}", false, s.card)
	s.handle("GET /metrics", false, s.metrics.show)
	s.handle("GET /{$}", true, s.page.show)
	s.handle("/", true, s.nothing)
}

// object writes an answer as JSON.
func object(w *recorder, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

// nothing answers paths that are not there, and methods that a path does not have.
func (s *Server) nothing(w *recorder, r *http.Request) error {
	w.route = ""
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "/" {
			w.Header().Set("Allow", method)
			return &fault{http.StatusMethodNotAllowed, fmt.Sprintf("%s is not for this path; use %s", r.Method, method)}
		}
	}
	return &fault{http.StatusNotFound, "no such path; GET /v2 and the page at / are there, and models at /v2/models/NAME"}
}

// ready answers whether every model can be asked.
func (s *Server) ready(w *recorder, _ *http.Request) error {
	for _, name := range s.models.names {
		if _, err := s.models.find(name, ""); err != nil || s.stopping.Load() {
			return &fault{http.StatusServiceUnavailable, "not ready: a model is unloaded, or the server stops"}
		}
	}
	return object(w, map[string]bool{"ready": true})
}

// about answers GET /v2.
func (s *Server) about(w *recorder, _ *http.Request) error {
	return object(w, struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}{"mercer", results.Version(), []string{"model_repository"}})
}

// tensorInfo describes an input or output: -1 is any number of rows. Parameters name columns and classes.
type tensorInfo struct {
	Name       string              `json:"name"`
	Datatype   string              `json:"datatype"`
	Shape      []int               `json:"shape"`
	Parameters map[string][]string `json:"parameters,omitempty"`
}

// describe answers GET /v2/models/NAME.
func (s *Server) describe(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	w.model = l.name
	in := tensorInfo{Name: inputName, Datatype: typeDouble, Shape: []int{-1, l.width()}}
	if l.reads() {
		in.Datatype = typeBytes
	}
	if names := l.columns(); names != nil {
		in.Parameters = map[string][]string{"columns": names}
	}
	scores := []int{-1}
	classes := map[string][]string(nil)
	if l.Classes != nil {
		classes = map[string][]string{"classes": l.Classes}
	}
	if c := len(l.Classes); c > 2 {
		scores = append(scores, c)
	}
	out := []tensorInfo{
		{Name: "prediction", Datatype: l.predictionType(), Shape: []int{-1}, Parameters: classes},
		{Name: "score", Datatype: typeDouble, Shape: scores},
	}
	if l.HasProbabilities() {
		out = append(out, tensorInfo{Name: "probability", Datatype: typeDouble, Shape: []int{-1, len(l.Classes)}})
	}
	var versions []string
	for _, one := range slices.Backward(s.models.versions(l.name)) {
		versions = append(versions, one.version)
	}
	return object(w, struct {
		Name     string       `json:"name"`
		Versions []string     `json:"versions"`
		Platform string       `json:"platform"`
		Inputs   []tensorInfo `json:"inputs"`
		Outputs  []tensorInfo `json:"outputs"`
	}{l.name, versions, "mercer_" + l.Method, []tensorInfo{in}, out})
}

// modelReady answers GET /v2/models/NAME/ready.
func (s *Server) modelReady(w *recorder, r *http.Request) error {
	l, err := s.models.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	w.model = l.name
	return object(w, map[string]any{"name": l.name, "ready": true})
}

// indexed is a version of a model in the index.
type indexed struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
}

// index answers POST /v2/repository/index. The body may be {"ready": true}, for what is ready alone.
func (s *Server) index(w *recorder, r *http.Request) error {
	b, err := s.body(w, r)
	defer b.done()
	if err != nil {
		return err
	}
	var ask struct {
		Ready bool `json:"ready"`
	}
	if len(b.text) > 0 {
		if err := json.Unmarshal(b.text, &ask); err != nil {
			return bad(`the body is no JSON object; send {"ready": true}, {} or nothing`)
		}
	}
	list := []indexed{}
	for _, f := range s.models.all() {
		one := indexed{Name: f.name, State: "UNAVAILABLE", Reason: "unloaded"}
		if l := f.now.Load(); l != nil {
			one = indexed{Name: f.name, Version: l.version, State: "READY"}
		}
		if why := f.fault.Load(); why != nil {
			one.Reason = "the file as it now is cannot be read: " + *why
		}
		if (one.State == "READY" || !ask.Ready) && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return object(w, list)
}

// loadModel reads the files of a model now, also if the client does not wait. Of a faulty one what was loaded before stays.
func (s *Server) loadModel(w *recorder, r *http.Request) error {
	var faults []string
	err := s.eachFile(w, r, func(f *file) {
		next, err := f.load(context.WithoutCancel(r.Context()), s.o)
		if s.reloaded(f, next, err); err != nil {
			faults = append(faults, err.Error())
		}
	})
	switch {
	case err != nil:
		return err
	case faults != nil:
		return bad("not loaded: %s", strings.Join(faults, "; and "))
	}
	return object(w, struct{}{})
}

// unloadModel takes a model out of service.
func (s *Server) unloadModel(w *recorder, r *http.Request) error {
	err := s.eachFile(w, r, func(f *file) {
		f.unload()
		s.o.Log.Info("model unloaded", "model", f.name)
	})
	if err != nil {
		return err
	}
	return object(w, struct{}{})
}

// eachFile does something with each file of the model that a request names.
func (s *Server) eachFile(w *recorder, r *http.Request, do func(*file)) error {
	name := r.PathValue("name")
	files, ok := s.models.files[name]
	if !ok {
		_, err := s.models.find(name, "")
		return err
	}
	w.model = name
	for _, f := range files {
		do(f)
	}
	return nil
}
