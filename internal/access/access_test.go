package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOwnHost: names and addresses of the loopback interface alone.
func TestOwnHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "LOCALHOST:8080": true, "a.localhost": true, "127.0.0.1": true, "127.3.2.1:99": true,
		"[::1]": true, "[::1]:80": true, "": false, "example.org": false, "example.org:80": false, "localhost.example.org": false,
		"10.0.0.1": false, "127.0.0.1.nip.io": false, "[fe80::1]:80": false,
	} {
		if OwnHost(host) != want {
			t.Errorf("%q is own: %v", host, !want)
		}
	}
}

// TestToken: the header or, after the address with the token was opened, the cookie; and nothing else.
func TestToken(t *testing.T) {
	g := &Guard{Token: "s3cret", Remedy: "send it"}
	request := func(url string, change func(*http.Request)) *http.Request {
		r := httptest.NewRequest(http.MethodGet, url, nil)
		if change != nil {
			change(r)
		}
		return r
	}
	bearer := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", text) }
	}
	for _, c := range []struct {
		r    *http.Request
		want bool
	}{
		{request("http://a:1/", nil), false},
		{request("http://a:1/?token=s3cret", nil), false},
		{request("http://a:1/", bearer("Bearer s3cret")), true},
		{request("http://a:1/", bearer("bearer  s3cret ")), true},
		{request("http://a:1/", bearer("Basic s3cret")), false},
		{request("http://a:1/", bearer("Bearer s3cre")), false},
		{request("http://a:1/", bearer("Bearer ")), false},
		{request("http://a:1/", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "mercer1", Value: "s3cret"}) }), false},
	} {
		err := g.Known(c.r)
		var refusal *Refusal
		if (err == nil) != c.want || err != nil && (!errors.As(err, &refusal) || refusal.Status != http.StatusUnauthorized) {
			t.Errorf("%s %v: %v", c.r.URL, c.r.Header, err)
		}
	}
	if w := httptest.NewRecorder(); g.Enter(w, request("http://a:1/?token=other", nil)) || g.Enter(w, request("http://a:1/", nil)) {
		t.Error("a browser entered without the token")
	}
	w := httptest.NewRecorder()
	if !g.Enter(w, request("http://a:1/?token=s3cret", nil)) || w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	cookie := w.Result().Cookies()[0]
	with := func(r *http.Request) { r.AddCookie(cookie) }
	if g.Known(request("http://a:1/", with)) != nil || g.Known(request("http://a:2/", with)) == nil {
		t.Error("the cookie is not that of one port")
	}
	if (&Guard{}).Known(request("http://a/", nil)) != nil || (&Guard{}).Enter(httptest.NewRecorder(), request("http://a/?token=", nil)) {
		t.Error("without a token one is asked for")
	}
}

// TestOtherNamesAndSites: without a token other names are refused, and other sites always.
func TestOtherNamesAndSites(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "http://evil.example/answer", nil)
	if (&Guard{}).Own(r) == nil || (&Guard{Token: "x"}).Own(r) != nil {
		t.Error("another name")
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if (&Guard{Token: "x"}).SameSite(r) == nil {
		t.Error("another site")
	}
}
