// Package access says who may ask a server of this program: the holders of a token, where there is one, and this machine by its own
// name; and never the page of another site.
package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Guard looks at requests. The zero value lets everybody ask by any name.
type Guard struct {
	Token string // "": none is needed
	// Remedy ends the message to those who come without the token, and Start says how a server that answers to this machine alone is
	// opened to others.
	Remedy, Start string

	origins http.CrossOriginProtection
}

// Refusal is why a request is not answered.
type Refusal struct {
	Status int
	What   string
}

// Error is the reason with its remedy.
func (r *Refusal) Error() string { return r.What }

// Known refuses requests without the token, which is in the header Authorization or, of a browser that has entered, in a cookie. The
// comparison takes the same time wherever they differ.
func (g *Guard) Known(r *http.Request) error {
	if g.Token == "" {
		return nil
	}
	if kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(kind, "bearer") &&
		same(strings.TrimSpace(token), g.Token) {
		return nil
	}
	if c, err := r.Cookie(cookieName(r)); err == nil && same(c.Value, g.cookie()) {
		return nil
	}
	return &Refusal{http.StatusUnauthorized, "this server asks for a token; " + g.Remedy}
}

// Enter takes the token that the address of a page has, as ?token=TOKEN: the browser gets a cookie in its place and is sent to the
// address without it. It is false where the address has none, and where the answer is not given yet.
func (g *Guard) Enter(w http.ResponseWriter, r *http.Request) bool {
	token := r.URL.Query().Get("token")
	if g.Token == "" || !same(token, g.Token) {
		return false
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: g.cookie(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil})
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
	return true
}

// Own refuses requests that came by a name that is not this machine's, where only this machine is answered and no token tells friend
// from foe: a page of another site can make its name mean the loopback address (DNS rebinding), and would then read answers.
func (g *Guard) Own(r *http.Request) error {
	if g.Token != "" || OwnHost(r.Host) {
		return nil
	}
	return &Refusal{http.StatusMisdirectedRequest, "this server answers to localhost alone; " + g.Start}
}

// SameSite refuses what the pages of other sites have a browser send.
func (g *Guard) SameSite(r *http.Request) error {
	if err := g.origins.Check(r); err != nil {
		return &Refusal{http.StatusForbidden, fmt.Sprintf("the request comes from another site's page; %v", err)}
	}
	return nil
}

// OwnHost says whether a host, with or without a port, is this machine by its own name.
func OwnHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(strings.ToLower(host), "[]")
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// cookie is what a browser holds: it does not tell the token.
func (g *Guard) cookie() string {
	sum := sha256.Sum256([]byte("mercer cookie " + g.Token))
	return hex.EncodeToString(sum[:])
}

// cookieName has the port, since browsers give the cookies of a host to all of its ports.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host) // "" of the standard port
	return "mercer" + port
}

// same compares two texts in a time that does not tell where they differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
