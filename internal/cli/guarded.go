package cli

import (
	"os"
	"strings"
)

// tokenVariable is the variable of the environment that --token is better given in.
const tokenVariable = "MERCER_TOKEN"

// guarded is the token of a server.
type guarded struct {
	Token *string `help:"${serve_token}" placeholder:"TOKEN"`
}

// token is that of the flag or the variable, "" where neither is given. White space around it, as the end of a line that a file has, is
// no part of it, as it is none of a header. An empty one is refused, since it would let everybody in who was to be kept out.
func (g guarded) token() (string, error) {
	if g.Token != nil {
		v := strings.TrimSpace(*g.Token)
		if v == "" {
			return "", usage("--token is empty: give a token, or leave the flag out to let everybody in")
		}
		return v, nil
	}
	v, given := os.LookupEnv(tokenVariable)
	if v = strings.TrimSpace(v); given && v == "" {
		return "", usage("%s is empty: give it a token, or unset it to let everybody in", tokenVariable)
	}
	return v, nil
}
