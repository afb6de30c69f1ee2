package cli

import (
	"fmt"
	"strings"
	"testing"
)

// wrong are commands that are refused, or warned of, before any work.
var wrong = strings.Split(strings.TrimSpace(`
fit --nope
predict --nope
predict good.mercer good.csv --label zz
predict good.mercer plain.csv --label label
predict good.mercer plain.csv --label zz
evaluate good.mercer good.csv --label none
fit good.csv --label none
evaluate --nope
label --nope
pareto --nope
cluster --nope
embed --nope
explain --nope
export --nope
convert --nope
serve --nope
methods --nope
data --nope
reproduce --nope
version --nope
--nope
fot
fit good.csv --set =1
fit good.csv --set a=
fit good.csv --set sigma=1 --set sigma=2
fit good.csv --method rls --set sigma=1 --set sigma=1 --quiet --tune none --labels 0
fit good.csv --labels 2 --labelled-rows rows
fit good.csv --labels-per-class 2 --labelled-rows rows
fit good.csv --labels 2 --labels-per-class 2
fit good.csv --splits s --labelled-rows rows
fit good.csv --splits s --labels-per-class 2
fit good.csv --splits s --test good.csv
fit good.csv --splits s -o m
fit good.csv --task regression --labels-per-class 2
fit good.csv --tol 0
fit good.csv --method rls --tol -1
fit - --test -
fit - --unlabelled -
fit good.csv --test - --unlabelled -
fit good.csv --view a=x.csv --test good.csv
fit good.csv --view a=x.csv --unlabelled good.csv
fit good.csv --view a
fit good.csv --view =x
fit good.csv --view a=
fit good.csv --view a=2..1
fit good.csv --view a=0..1
fit good.csv --view a=1..3
fit good.csv --view a=b..zz
fit good.csv --view a=none.csv
fit good.csv --view a=other.csv
fit good.csv --view a=zz*
fit good.csv --method co-rls
fit good.csv --method co-rls --view v=1..1
fit good.csv --method co-rls --view v=1..2 --view w=2..2
fit good.csv --method co-rls --view v=1..1 --view w=2..2 --kernel u=linear
fit good.csv --method co-rls --view v=1..1 --view w=2..2 --kernel w=nope
fit good.csv --method rls --view v=1..1 --view w=2..2 --kernel w=linear
fit good.csv --method rls --kernel w=linear
fit good.csv --kernel sum(precomputed+linear)
fit good.csv --threads -1
fit good.csv --time-limit 0
fit good.csv --time-limit x
fit good.csv --memory 0
fit good.csv --report -x
fit good.csv --report good.csv
fit good.csv --report none/page
fit good.csv -o -x
fit mixed.csv --labelled-rows three --method rls --quiet
fit - --test good.csv
fit good.csv --label zz
fit good.csv --labelled-rows none
fit good.csv --labelled-rows .
fit good.csv --unlabelled none
fit good.csv --test none
fit good.csv --splits none
fit good.csv --labels 9
fit good.csv --labels-per-class 3
fit good.csv --labels 1
fit . 
fit good.csv --recipe none.json
fit good.csv --recipe empty.json
fit good.csv --recipe two.json
fit good.csv --recipe syntax.json
fit good.csv --recipe kind.json
fit good.csv --recipe list.json
fit good.csv --recipe set.json
fit good.csv --recipe number.json
fit good.csv --recipe nothing.json
fit good.csv --recipe nosuch.json
pareto good.csv --pick 0
pareto good.csv --pick 1 --decision knee
pareto good.csv --decision best
pareto good.csv --labels 0
predict good.csv good.csv
predict good.mercer good.csv --member 1
predict good.mercer other.csv
predict good.mercer good.csv --view v=good.csv
predict good.mercer good.csv --view v
evaluate good.mercer other.csv
evaluate good.mercer unlabelled.csv
evaluate good.mercer many.csv
serve
serve none.mercer --listen 127.0.0.1:0
serve good.csv --listen 127.0.0.1:0
serve good.mercer good.mercer --listen 127.0.0.1:0
serve good.mercer --listen 8080
serve good.mercer --listen 127.0.0.1:0 --tls good.csv
serve good.mercer --listen 127.0.0.1:0 --tls none,good.csv
serve good.mercer --listen 127.0.0.1:0 --max-rows 0
serve good.mercer --listen 127.0.0.1:0 --connections -1
serve good.mercer --listen 127.0.0.1:0 --max-body x
serve good.mercer --listen 127.0.0.1:0 --request-time 0
serve good.mercer --listen 127.0.0.1:0 --threads -1
cluster - --test -
embed - --test -
cluster good.csv --clusters 1
cluster good.csv --clusters x
cluster good.csv --split median
cluster good.csv --split median --clusters 3
cluster good.csv --neighbours -1
cluster good.csv --search fast
cluster good.csv --scale z
cluster good.csv --label zz
cluster good.csv --set graph=epsilon
cluster good.csv --set epsilon_graph=2
cluster good.csv --set graph=full --neighbours 3
cluster good.csv --set graph=full --set symmetry=mutual
cluster good.csv --set width=2
cluster good.csv --set rank=3
cluster good.csv --set nothing=3
cluster good.csv --set neighbours=1.5
cluster good.csv --set neighbours=1000001
cluster good.csv --set neighbours=x
cluster good.csv --set graph=ring
cluster good.csv --set metric=long
cluster good.csv --memory 1000
cluster good.csv --kernel foo
cluster good.csv --kernel precomputed
cluster good.csv --kernel linear --set sigma=2
cluster good.csv --kernel gaussian --set sigma=2 --set gamma=2
cluster good.csv --kernel gaussian --set rank=1.5
cluster good.csv --kernel gaussian --set degree=0
cluster good.csv --kernel gaussian --set gamma_a=-1
cluster good.csv --view v=other.csv --test good.csv
embed good.csv --dim 0
embed good.csv --dim 9
embed good.csv -o none/x
export good.mercer --format libsvm -o m
export good.mercer --format liblinear -o m
export good.csv --format libsvm -o m
convert good.csv -o x.txt
convert none -o x.csv
convert empty.json -o x.csv
convert good.csv -o x.svm --range none
convert good.csv -o x.svm --range good.csv
convert classes.csv -o x.svm --json
data nosuch
data iris --json
data iris --rows 3
data two-moons:n=3 --rows 1
data two-moons --set x
data two-moons --set size=3
data --seed 3
data --noise 3
data --set a=b
data -o x
data sinc -o none/x
methods nosuch
methods gaussian --schema
methods nosuch --schema
reproduce nosuch
reproduce becker-f3.1 nosuch
reproduce becker-f3.1 --runs -1
reproduce becker-f3.1 --runs 0
reproduce becker-f3.1 --markdown none/x
reproduce becker-f3.1 --report -x
fit good.csv --trace t --method svm --basis auto
fit good.csv --splits nosplit
fit good.csv --cv 1
fit good.csv --cv -2
fit good.csv --splits s --cv 3
fit good.csv --cv 4
fit good.csv --budget 0
fit good.csv --budget 60s
fit good.csv --method rls --method svm
fit good.csv --from good.mercer --time-limit 1ns
fit good.csv --from good.csv
fit good.csv --from front.mercer
fit good.csv --from views.mercer
fit good.csv --from good.mercer --method svm
fit good.csv --from good.mercer --kernel linear
fit good.csv --view a=1..1 --drop a
fit good.csv --view a=1..1 --features a
fit good.csv --columns other.csv
fit good.csv --columns badwords.json
fit ''
fit good.csv --label ''
fit sparse.svm --drop a
fit sparse.svm --label a
fit sparse.svm --label none
label sparse.svm --label a
cluster sparse.svm --label a
embed sparse.svm --label a
cluster good.csv --label zz
train good.csv
learn good.csv
test good.mercer good.csv
score good.mercer good.csv
validate good.mercer good.csv
pareto good.csv --pick 0
pareto good.csv --method rls
pareto good.csv --report good.csv
pareto good.csv --cv 3
predict good.mercer good.csv --threads -1
predict numbers.mercer numbers.csv --probability
predict like.mercer numbers.csv --probability
predict good.mercer good.csv -o none/x
predict good.mercer good.csv -o good.mercer
predict good.mercer good.csv -o good.csv
predict good.mercer none.csv
predict good.mercer good.csv --id zz
predict good.mercer ''
evaluate good.mercer good.csv --threads -1
evaluate none.mercer good.csv
evaluate numbers.mercer good.csv
evaluate numbers.mercer texts.csv
evaluate numbers.mercer texts.csv --unlabelled-mark ?
evaluate good.mercer numbers.csv
evaluate good.mercer good.csv --id zz
explain none.mercer good.csv --row 0
explain good.mercer none.csv --row 0
explain good.mercer good.csv --training none.csv --row 0
explain good.mercer other.csv --row 0
explain good.mercer good.csv --row 99
explain good.mercer good.csv --row 0 --class zz
explain good.mercer good.csv --row 0 --top 0
shrink none.mercer --data good.csv -o small.mercer --basis 2
shrink good.csv --data good.csv -o small.mercer --basis 2
shrink wide.mercer --data none.csv -o small.mercer --basis 2
shrink wide.mercer --data good.csv -o wide.mercer --basis 2
shrink wide.mercer --data good.csv -o good.csv --basis 2
shrink wide.mercer --data good.csv -o none/small.mercer --basis 2
shrink wide.mercer --data good.csv -o small.mercer --threads -1 --basis 2
shrink wide.mercer --data good.csv -o small.mercer --basis 0
shrink wide.mercer --data good.csv -o small.mercer --basis 99
shrink wide.mercer --data other.csv -o small.mercer --basis 2
shrink wide.mercer --data good.csv
serve good.mercer --listen 127.0.0.1:0 --token ''
serve good.mercer --listen 127.0.0.1:0 --tls good.csv,good.csv
serve good.mercer --listen 256.0.0.1:80
label none.csv
label good.csv --threads -1
label good.csv --image-folder x
label good.csv --image 2x1 --image-folder x
label good.csv --image zz
label good.csv --image 5x5
label good.csv --log -
label good.csv --labelled -
label good.csv -o -
label good.csv --labels 1
label good.csv --labels 9
label good.csv --scale zz
label good.csv --token ''
label good.csv --log none/log
label good.csv --log good.csv
label good.csv --memory 1000
label sparse.svm --image a
label good.csv --method svm
label good.csv --columns other.csv
cluster good.csv --threads -1
cluster good.csv --test none
cluster good.csv --test sparse.svm
cluster good.csv --test other.csv
cluster good.csv --columns other.csv
cluster good.csv --view a=1..1 --view b=2..2 --drop a
embed good.csv --threads -1
embed good.csv --test other.csv
embed good.csv --set graph=epsilon
embed good.csv --view a=1..1 --view b=2..2 --features a
export good.mercer --format sklearn -o none/x.py
export good.mercer --format onnx -o none/x.onnx
export good.mercer --format onnx -o good.mercer
export none.mercer --format onnx -o x
export none.mercer --format sklearn -o x
export views.mercer --format sklearn -o x
export front.mercer --format onnx -o x
export numbers.mercer --format libsvm -o x
convert good.csv -o none/x.csv
convert good.csv -o none/x.svm.gz
convert good.csv -o good.csv
convert weights.svmlin -o none/x.mercer
convert broken.svmlin -o x.mercer
convert small.model -o none/x.mercer
convert small.model -o x.mercer --range ranges
convert small.model -o x.mercer --range wide
convert good.csv -o x.svm --columns other.csv
data good.csv --rows 3
data good.csv --noise 0.5
data good.csv --seed 3
data good.csv --set a=b
data good.csv -o x.csv
data good.csv --labels 2
data iris --drop a
data iris --columns x
data sparse.svm
fit sparse.svm --missing zz
fit iris --decimal comma
fit rows.jsonl --delimiter ;
fit rows.arff --skip 1
predict good.mercer rows.jsonl --quote none
data none.csv
data good.csv --columns other.csv
data good.csv --label zz
data good.csv --task regression
data good.csv --drop zz
reproduce --sources becker-f3.1
reproduce becker-f3.1 --threads -1
reproduce becker-f3.1 --data good.csv
methods zz --plot
methods rls --plot
methods -- nosuch
version more`), "\n")

// TestComplaintsAreKept: what is said of wrong commands, word by word, and how they end.
func TestComplaintsAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs of the program, slow under the race detector")
	}
	folder := keptFolder(t)
	folderWithModel(t, map[string]string{
		"other.csv": "a,c,label\n1,2,x\n", "unlabelled.csv": "a,b,label\n1,2,\n", "plain.csv": "a,b\n1,2\n",
		"many.csv": "a,b,label\n1,2,q\n1,2,r\n1,2,s\n1,2,t\n1,2,u\n1,2,v\n1,3,q\n", "rows": "0 1", "three": "0 1 2",
		"mixed.csv":   "a,label\n1,1.5\n2,2\n3,2.5\n4,no\n",
		"classes.csv": "a,label\n1,x\n2,y\n3,\n", "empty.json": "", "two.json": "{}{}", "syntax.json": "{\"method\":\n  \"rls\",,}",
		"kind.json": "{\"method\":\n 3}", "list.json": "[1]", "set.json": "{\n\"set\":\"C=1\"}",
		"number.json": "{\"set\":{\"C\":1}}", "nosplit": "",
		"texts.csv":   "a,b\n1,1.5\n2,no\n",
		"numbers.csv": "a,b\n1,1.5\n2,2.5\n3,2.75\n4,3.5\n", "sparse.svm": "1 1:2 3:1\n2 2:1\n1 1:1\n2 3:2\n",
		"weights.svmlin": "0.5\n-1\n0.25\n", "rows.jsonl": "{\"a\":1,\"b\":2}\n", "rows.arff": "@relation r\n@attribute a numeric\n@data\n1\n",
		"broken.svmlin": "0.5\nx\n", "badwords.json": "{\"columns\":[]}",
		"small.model": "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 2\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n",
		"ranges":      "x\n-1 1\n1 0 4\n2 0 4\n", "wide": "x\n-1 1\n1 0 4\n7 0 4\n", "nothing.json": "null 3", "nosuch.json": "{\"nosuch\":1}",
	})
	ok(t, "fit", "numbers.csv", "--method", "rls", "--tune", "none", "-o", "numbers.mercer", "--quiet")
	ok(t, "fit", "good.csv", "--method", "svm", "--kernel", "gaussian", "--tune", "none", "-o", "wide.mercer", "--quiet")
	ok(t, "fit", "numbers.csv", "--method", "one-class", "-o", "like.mercer", "--quiet")
	ok(t, "pareto", "good.csv", "--method", "mobj-svm", "--decision", "knee", "-o", "front.mercer", "--quiet")
	ok(t, "fit", "good.csv", "--method", "co-rls", "--tune", "none", "--view", "v=1..1", "--view", "w=2..2", "-o", "views.mercer", "--quiet")
	var b strings.Builder
	for _, args := range wrong {
		fields := strings.Fields(args)
		for i, word := range fields {
			if word == "''" {
				fields[i] = ""
			}
		}
		r := run(t, "", fields...)
		fmt.Fprintf(
			&b,
			"mercer %s: %d\n%s%s",
			args,
			r.code,
			passing.ReplaceAllString(r.stderr, "~"),
			passing.ReplaceAllString(r.stdout, "~"),
		)
	}
	keptText(t, folder, "complaints.txt", b.String())
}
