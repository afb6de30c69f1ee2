package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/model"
)

// TestNamedInputsAreKept: no file that any flag names is written over, however its name is spelled.
func TestNamedInputsAreKept(t *testing.T) {
	files := twoViews()
	files["columns.json"] = `{"version": 1, "columns": []}`
	files["recipe.json"], files["keep"] = `{"method": "rls"}`, "0\n1\n2\n3\n"
	folderWithModel(t, files)
	if err := os.Symlink("keep", "link"); err != nil {
		t.Skip(err)
	}
	for _, args := range []string{
		"fit good.csv --view links=new.csv -o new.csv", "predict good.mercer good.csv --view links=rows.csv -o rows.csv",
		"cluster good.csv --view links=rows.csv -o ./rows.csv", "shrink good.mercer --basis 2 --data good.csv --view a=rows.csv -o rows.csv",
		"fit good.csv --labelled-rows keep -o keep", "fit good.csv --labelled-rows keep -o link",
		"fit good.csv --columns columns.json -o columns.json",
		"fit good.csv --method rls --search random --trace recipe.json --recipe recipe.json",
		"label good.csv --columns columns.json --labelled columns.json",
		"label good.csv --log x.jsonl --labelled ./x.jsonl", "label good.csv --log ./good.labelled.csv",
		"fit good.csv --method rls --search random --trace m.mercer -o ./m.mercer",
	} {
		before := map[string][]byte{}
		for _, name := range []string{"good.csv", "rows.csv", "new.csv", "keep", "columns.json", "recipe.json"} {
			before[name], _ = os.ReadFile(name)
		}
		r := run(t, "", strings.Fields(args)...)
		if r.code != exitUsage {
			t.Errorf("%s: %d, %q", args, r.code, r.stderr)
		}
		for name, text := range before {
			if now, _ := os.ReadFile(name); !bytes.Equal(now, text) {
				t.Errorf("%s: wrote over %s", args, name)
			}
		}
	}
}

// TestFlagsThatSayNothing: a flag that has no meaning where it stands is refused.
func TestFlagsThatSayNothing(t *testing.T) {
	folderWithModel(t, map[string]string{"new.csv": "a,b\n1,2\n", "model": "svm_type c_svc\nkernel_type linear\n"})
	for args, want := range map[string]string{
		"convert good.csv -o out.svm --view a=1..2":                                "--view",
		"convert model -o out.mercer --label b":                                    "leave out the flags of data",
		"convert model -o out.mercer --drop b":                                     "leave out the flags of data",
		"convert model -o out.mercer --delimiter ;":                                "leave out the flags of data",
		"data good.csv --splits 2 --labels 2 --rows 50":                            "of generators",
		"data good.csv --splits 2 --labels 2 --set n=7":                            "of generators",
		"data --format csv":                                                        "name a set",
		"data --task regression":                                                   "name a set",
		"cluster good.csv --neighbours 2 --set neighbours=3":                       "give one of them",
		"explain good.mercer new.csv --row 0 --training good.csv --view c=new.csv": "--training with --view",
		"fit good.csv --method rls --search random --trace -":                      "--trace -",
		"reproduce becker-f4.1 --markdown -":                                       "--markdown -",
		"fit good.csv --cv 50":                                                     "ask for 4 folds at most",
	} {
		r := run(t, "", strings.Fields(args)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d, %q", args, r.code, r.stderr)
		}
	}
	for _, name := range []string{"-", "out.svm", "out.mercer"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// TestShrinkToStandardOutput: - is standard output of shrink too.
func TestShrinkToStandardOutput(t *testing.T) {
	folderWithModel(t, nil)
	if r := run(t, "", strings.Fields("fit good.csv --method rls --kernel gaussian --tune none --quiet -o rbf.mercer")...); r.code != 0 {
		t.Fatal(r)
	}
	r := run(t, "", strings.Fields("shrink rbf.mercer --basis 2 --data good.csv -o - --quiet")...)
	if r.code != 0 {
		t.Fatal(r)
	}
	if _, err := model.Read(t.Context(), strings.NewReader(r.stdout)); err != nil {
		t.Errorf("standard output is no model: %v", err)
	}
}

// TestPackedTables: a table whose name ends in .gz is packed, and is the same table.
func TestPackedTables(t *testing.T) {
	folderWithModel(t, nil)
	for _, verb := range []string{"data iris", "predict good.mercer good.csv", "cluster good.csv --clusters 2 --quiet", "convert good.csv"} {
		for _, name := range []string{"plain.csv", "packed.csv.gz"} {
			if r := run(t, "", append(strings.Fields(verb), "-o", name)...); r.code != 0 {
				t.Fatal(verb, r)
			}
		}
		want, _ := os.ReadFile("plain.csv")
		f, err := os.Open("packed.csv.gz")
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(verb, err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, want) || f.Close() != nil {
			t.Errorf("%s: %q, %v", verb, got, err)
		}
	}
}

// TestRangesBesideModels: the ranges that a model for svm-predict needs are written with it or not at all, and over no input.
func TestRangesBesideModels(t *testing.T) {
	folderWithModel(t, nil)
	if r := run(t, "", strings.Fields("fit good.csv --method svm --tune none --scale minmax --quiet -o m.range")...); r.code != 0 {
		t.Fatal(r)
	}
	r := run(t, "", strings.Fields("export m.range --format libsvm -o m")...)
	if r.code != exitUsage || !strings.Contains(r.stderr, "m.range") {
		t.Errorf("%d, %q", r.code, r.stderr)
	}
	if err := os.Mkdir("n.range", 0o700); err != nil {
		t.Fatal(err)
	}
	r = run(t, "", strings.Fields("export m.range --format libsvm -o n")...)
	if _, err := os.Stat("n"); r.code == 0 || err == nil {
		t.Errorf("%d, %q, and the model stands there without its ranges", r.code, r.stderr)
	}
}

// TestCompletionOfFiles: what bash completes are verbs as they are, and files whatever their names.
func TestCompletionOfFiles(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	folderWith(t, map[string]string{"my rows.csv": "", "my *.csv": ""})
	if err := os.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	script := run(t, "", "completion", "bash").stdout
	complete := func(words ...string) []string {
		at := len(words) - 1
		list := make([]string, len(words))
		for i, w := range words {
			list[i] = shellQuoted(w)
		}
		out, err := exec.CommandContext(t.Context(), shell, "-c", script+fmt.Sprintf( //nolint:gosec // the script under test
			"\nCOMP_WORDS=(%s); COMP_CWORD=%d; _mercer; printf '%%s\\n' \"${COMPREPLY[@]}\"", strings.Join(list, " "), at)).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	if got := complete("mercer", "da"); !slices.Equal(got, []string{"data"}) {
		t.Errorf("da is completed to %q", got)
	}
	got := complete("mercer", "fit", "my")
	slices.Sort(got)
	if !slices.Equal(got, []string{"my *.csv", "my rows.csv"}) {
		t.Errorf("my is completed to %q", got)
	}
	if strings.Contains(script, "complete -o filenames") {
		t.Error("a verb is taken for a folder")
	}
}

// TestFurtherFormatsBesideTheOthers: a program that reads more formats reads those of the others.
func TestFurtherFormatsBesideTheOthers(t *testing.T) {
	words := Program{Formats: []read.Further{further{}}}.words()
	if got := words["format_names"]; got != "csv|libsvm|arff|jsonl|made" {
		t.Errorf("formats %s", got)
	}
}

type further struct{ read.Further }

func (further) Format() read.Format { return "made" }
