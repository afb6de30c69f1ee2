// Package chromium opens pages in Chromium without a screen, for tests of pages.
package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os/exec"
	"regexp"
	"testing"
)

// Path is that of the program, or a skip.
func Path(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium here; on Debian: apt-get install chromium")
	return ""
}

// Window is what a page is seen in. Windows of Chromium are 500 wide at least: a narrower page stands in a frame.
type Window struct {
	Width, Height int
	Dark          bool
}

func (w Window) String() string {
	if w.Dark {
		return fmt.Sprintf("%d wide, dark", w.Width)
	}
	return fmt.Sprintf("%d wide, light", w.Width)
}

// Windows are those of a telephone and of a desk, light and dark.
func Windows() []Window {
	return []Window{{360, 800, false}, {360, 800, true}, {1280, 900, false}, {1280, 900, true}}
}

// Page is an address opened in a window, with a profile of its own: a folder of this process alone.
type Page struct {
	Window
	Profile, Address string
}

// Command opens a page in the program at path; flags are further ones of Chromium.
func Command(ctx context.Context, path string, p Page, flags ...string) *exec.Cmd {
	scheme := 1 // of Chromium: 0 is dark
	if p.Dark {
		scheme = 0
	}
	args := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--hide-scrollbars", "--force-device-scale-factor=1", "--user-data-dir=" + p.Profile,
		fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme),
		fmt.Sprintf("--window-size=%d,%d", max(p.Width, 500), p.Height)}, flags...)
	return exec.CommandContext(ctx, path, append(args, p.Address)...)
}

var probed = regexp.MustCompile(`(?s)<pre id="probe">(.*?)</pre>`)

// Dump is Command with --dump-dom, and reads the JSON that a script of the page has left in <pre id="probe">.
func Dump(ctx context.Context, path string, p Page, to any, flags ...string) error {
	dom, err := Command(ctx, path, p, append(flags, "--dump-dom")...).Output()
	if err != nil {
		return err
	}
	found := probed.FindSubmatch(dom)
	if found == nil {
		return errors.New("the script of the page did not end")
	}
	return json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), to)
}
