//go:build js && wasm

// Wasm is Mercer for the page docs/try. It runs in a worker, whose messages it answers: `make try` builds it.
package main

import (
	"context"
	"encoding/json"
	"math"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/try/drawn"
)

// message is what the worker tells the page; its kind is answer, fault or progress.
type message struct {
	Kind   string        `json:"kind"`
	Answer *drawn.Answer `json:"answer,omitempty"`
	Fault  string        `json:"fault,omitempty"`
	Done   int           `json:"done,omitempty"`
	Total  int           `json:"total,omitempty"`
}

func post(m message) {
	text, err := json.Marshal(m)
	if err != nil {
		text = []byte(`{"kind":"fault","fault":"the answer holds what is no number; move a point and learn again"}`)
	}
	js.Global().Call("postMessage", string(text))
}

func learn(text string) {
	var r drawn.Request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		post(message{Kind: "fault", Fault: err.Error()})
		return
	}
	a, err := drawn.Learn(context.Background(), r, func(p mercer.Progress) {
		post(message{Kind: "progress", Done: p.Done, Total: p.Total})
	})
	if err != nil {
		post(message{Kind: "fault", Fault: err.Error()})
		return
	}
	post(message{Kind: "answer", Answer: a})
}

// practise learns a drawing of its own until that is quick, or has taken long in all. What a browser runs for the first time takes it
// several times as long, because it compiles a function for good only after some use.
func practise() {
	const quick, long = 300 * time.Millisecond, 4 * time.Second
	r := drawn.Request{Width: 1, Height: 1, Columns: 120, Rows: 80}
	for i := range 120 {
		side := i % 2
		r.Points = append(r.Points, [2]float64{float64(side) + math.Sin(float64(i))/4, float64(i) / 120})
		r.Labels = append(r.Labels, 0)
		if i%60 == 20 || i%60 == 41 {
			r.Labels[i] = side + 1
		}
	}
	for begun := time.Now(); time.Since(begun) < long; {
		start := time.Now()
		_, err := drawn.Learn(context.Background(), r, nil)
		if err != nil || time.Since(start) < quick { // what fails here fails with a message when a person asks
			return
		}
	}
}

func main() {
	debug.SetGCPercent(400) // the heap is a few MB, and collecting it would take the only thread
	js.Global().Set("mercerLearn", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go learn(args[0].String()) // what is called from JavaScript must not wait
		return nil
	}))
	practise()
	js.Global().Call("postMessage", `{"kind":"ready"}`)
	select {}
}
