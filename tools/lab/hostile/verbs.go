package hostile

import "strings"

// verb is a verb that takes a model, as it is called: MODEL and DATA are replaced.
type verb struct {
	args   string
	served bool // it runs until it is interrupted, and is asked over HTTP meanwhile
}

// verbs are all that take a model, with the flags that read further parts of it.
var verbs = []verb{
	{args: "predict MODEL DATA"},
	{args: "predict MODEL DATA --probability -o answers.csv"},
	{args: "predict MODEL DATA --interval 0.8 -o answers.csv"},
	{args: "predict MODEL DATA --member 2 -o answers.csv"},
	{args: "evaluate MODEL DATA"},
	{args: "explain MODEL DATA --row 0,7"},
	{args: "explain MODEL DATA --row 3 --training DATA --json"},
	{args: "export MODEL --format onnx -o exported"},
	{args: "export MODEL --format sklearn -o exported"},
	{args: "export MODEL --format libsvm -o exported"},
	{args: "export MODEL --format liblinear -o exported"},
	{args: "export MODEL --format svmlin -o exported"},
	{args: "shrink MODEL --basis 3 --data DATA -o small.mercer"},
	{args: "convert MODEL -o converted.mercer"},
	{args: "fit --from MODEL DATA --quiet --time-limit 20s -o again.mercer"},
	{args: "fit --from MODEL DATA --quiet --time-limit 20s --report page"},
	{args: "serve MODEL --listen 127.0.0.1:0 --quiet", served: true},
}

// on is the run of a verb on a model and data.
func (v verb) on(kind, model, data string, mayAnswer bool) hostile {
	h := hostile{kind: kind, mayAnswer: mayAnswer, args: words(strings.NewReplacer("MODEL", model, "DATA", data).Replace(v.args))}
	if v.served {
		h.asked = data
	}
	return h
}
