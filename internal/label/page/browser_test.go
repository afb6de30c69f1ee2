package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/internal/test/chromium"
)

// visitor is a person at the page, which stands in a frame. What it sees goes to the test.
const visitor = `<!DOCTYPE html><body><iframe src="/"></iframe><script>
const frame = document.querySelector("iframe"), saw = {};
const at = id => frame.contentDocument.getElementById(id), asked = () => frame.contentDocument.body.dataset.question;
const told = async what => (await fetch("test/" + what)).json();
const until = async f => {
  for (let n = 0; !await f(); n++) {
    if (n > 100) throw new Error("waited in vain for " + f);
    await new Promise(r => setTimeout(r, 50));
  }
};
const press = key => frame.contentDocument.body.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true }));
const act = async key => { const was = asked(); press(key); await until(() => asked() !== was); };
const buttons = () => [...frame.contentDocument.querySelectorAll("#classes button")];
const keys = () => buttons().map(b => b.dataset.class + b.querySelector("kbd").textContent);
const title = () => frame.contentDocument.readyState === "complete" && asked() && frame.contentDocument.title;
(async () => {
  await until(title);
  saw.Keys = [keys()];
  at("name").value = "10"; // a further class takes no key away
  at("new").requestSubmit();
  await until(() => asked() === "2");
  saw.Keys.push(keys());
  at("name").value = "2"; // nor does one whose name is the key of another
  at("new").requestSubmit();
  await until(() => asked() === "3");
  saw.Keys.push(keys());
  await act("1");

  await told("break"); // the next row cannot be shown
  press("0");
  await until(() => !at("wrong").hidden);
  saw.Unshown = at("wrong").textContent;
  press("0");
  press("1");
  await told("mend");
  saw.Refused = await told("answers");
  await act("s"); // the row after it can

  const page = frame.contentWindow, fetched = page.fetch; // somebody else asks about a row that is long in coming
  let release = null;
  const held = new Promise(r => { release = r; });
  page.fetch = async (...what) => {
    if (what[0].startsWith("row/")) await held;
    return fetched.apply(page, what);
  };
  await told("other");
  const why = at("why").textContent;
  await until(() => at("why").textContent !== why);
  press("0");
  saw.Held = await told("answers");
  const was = frame.contentDocument.body.dataset.row;
  release();
  await until(() => frame.contentDocument.body.dataset.row !== was);
  await act("0");
  saw.After = await told("answers");

  await told("next"); // another session at the same address
  press("0");
  await until(() => title() === "Label second");
  saw.Second = await told("answers");
  saw.Pictures = [...frame.contentDocument.images].map(i => i.src);
  await told("next");
  await until(() => title() === "Label third");
  saw.Third = await told("answers");
  saw.Pictures.push(...[...frame.contentDocument.images].map(i => i.src));
})().catch(e => { saw.Failed = String(e); }).finally(() => {
  frame.remove();
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(saw);
  document.body.append(out);
});
</script></body>`

// visited is what the visitor sees: the keys of classes, and how many answers have been taken.
type visited struct {
	Failed, Unshown                     string
	Keys                                [][]string
	Refused, Held, After, Second, Third int
	Pictures                            []string
}

// street is an address at which sessions follow each other, and what happens there.
type street struct {
	houses []*Server
	kept   []*keeper
	now    atomic.Int32
	seen   sync.Map // rows that were shown
	broken atomic.Bool
}

func (s *street) row(i int) (Row, error) {
	if s.broken.Load() {
		return Row{}, errors.New("its file is gone")
	}
	s.seen.Store(i, true)
	return Row{Name: fmt.Sprint("row ", i)}, nil
}

// happens does what the visitor asks the test for, and says how it stands.
func (s *street) happens(t *testing.T, what string) any {
	at := s.now.Load()
	switch what {
	case "break", "mend":
		s.broken.Store(what == "break")
	case "other":
		q := s.houses[at].session.Question()
		row := 0
		for _, known := s.seen.Load(row); known; _, known = s.seen.Load(row) {
			row++
		}
		if err := s.houses[at].session.Ask(q, row); err != nil {
			t.Error(err)
		}
	case "next":
		s.now.Add(1)
	case "answers":
		return s.houses[at].session.State().Answered
	}
	return true
}

// TestVisitor: nothing is answered but the row that is on the screen of the session that is there, and classes keep their keys.
func TestVisitor(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path := chromium.Path(t)
	s := &street{}
	for _, title := range []string{"first", "second", "third"} {
		_, p, k, _ := site(t, "0", "1")
		p.show.Title, p.show.Row = title, s.row
		s.houses, s.kept = append(s.houses, p), append(s.kept, k)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.houses[s.now.Load()].ServeHTTP(w, r) })
	mux.HandleFunc("/visitor", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, visitor)
	})
	mux.HandleFunc("/test/{what}", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(s.happens(t, r.PathValue("what"))) // the browser has gone away if it fails
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var got visited
	page := chromium.Page{Window: chromium.Window{Width: 1280, Height: 900}, Profile: t.TempDir(), Address: server.URL + "/visitor"}
	if err := chromium.Dump(ctx, path, page, &got, "--virtual-time-budget=60000"); err != nil || got.Failed != "" {
		t.Fatalf("%v; %+v", err, got)
	}
	if !strings.Contains(got.Unshown, "cannot be shown") || !strings.Contains(got.Unshown, "Its file is gone") {
		t.Errorf("of a row that cannot be shown it says %q", got.Unshown)
	}
	if strings.Join(got.Pictures, " ") == "" {
		t.Error("no pictures")
	}
	for _, src := range got.Pictures {
		if strings.HasSuffix(src, "?"+s.houses[0].id) {
			t.Errorf("a picture of another session: %s", src)
		}
	}
	got.Failed, got.Unshown, got.Pictures = "", "", nil
	if diff := cmp.Diff(visited{Keys: [][]string{{"00", "11"}, {"00", "11", "102"}, {"00", "11", "102", "23"}},
		Refused: 4, Held: 4, After: 5}, got); diff != "" {
		t.Error(diff)
	}
}
