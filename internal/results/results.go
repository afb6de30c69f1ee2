// Package results writes measured tables to files that say where they come from: the command,
// the date and the machine stand in the heading, so that no figure is without its source.
//
// Change here what such a heading says.
package results

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/replace"
)

// Heading is what stands above a table.
type Heading struct {
	Title   string
	Command string // that writes the file again, folders as DIR
	Time    time.Time
	Load    string // of the machine before the run; "" where it is not known
	Code    string // what OfCode says of the page
}

// Write writes the heading and the Markdown below it.
func (h Heading) Write(w io.Writer, body []byte) error {
	said := wrapped(fmt.Sprintf("%s, %s.\n\n%s", h.Time.Format(time.DateOnly), Machine(h.Load)+h.Code, body))
	_, err := fmt.Fprintf(w, "# %s\n\n    %s\n\n%s", h.Title, continued(h.Command), said)
	return err
}

// continued is a command on lines of at most 120 characters, its flags kept together with their values.
func continued(command string) string {
	const widest = 114 // less the margin and the sign of continuation
	lines := []string{""}
	for part := range strings.SplitSeq(command, " -") {
		last := lines[len(lines)-1]
		switch {
		case last == "":
			lines[0] = part
		case len(last)+2+len(part) > widest:
			lines = append(lines, "    -"+part)
		default:
			lines[len(lines)-1] = last + " -" + part
		}
	}
	return strings.Join(lines, " \\\n    ")
}

// File writes a table to a Markdown file, beside it first and then renamed.
func (h Heading) File(path string, body []byte) error {
	return replace.File(path, func(w io.Writer) error { return h.Write(w, body) })
}

// Machine describes the computer and the program: what times depend on.
func Machine(load string) string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	if name := processor(); name != "" {
		text += " of " + name
	}
	text += fmt.Sprintf(", %s %s/%s, BLAS: %s, mercer %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, blas.Name(), Version())
	if load != "" {
		text += ", load before the run " + load
	}
	return text
}

// processor is the model that Linux names; "" elsewhere.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Load is the mean number of running processes in the last minute, where Linux tells it.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// Version is the version that the program was built as, or the revision where it has none.
func Version() string {
	const unknown = "(devel)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	if v := info.Main.Version; v != "" && v != unknown {
		return v
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if i < 0 {
		return unknown
	}
	return info.Settings[i].Value[:min(12, len(info.Settings[i].Value))]
}

// Program runs a measuring program that prints Markdown. What it prints is shown as it comes and,
// where path is not empty, written there with a heading when all of it is done: a run that fails
// leaves the file of the one before. Name is the program's folder, as in "tools/size", or in a nested module "-C arrow ./bench".
func Program(path, title, name string, args []string, run func(w io.Writer) error) error {
	if path == "" {
		return run(os.Stdout)
	}
	command := "go run ./" + name
	if module, folder, nested := strings.Cut(strings.TrimPrefix(name, "-C "), " "); nested {
		command = "go -C " + module + " run " + folder
	}
	h := Heading{Title: title, Command: Command(command, args), Time: time.Now(), Load: Load(), Code: OfCode(path)}
	var b bytes.Buffer
	if err := run(io.MultiWriter(os.Stdout, &b)); err != nil {
		return err
	}
	return h.File(path, b.Bytes())
}

// Command is a command line without the folder of the data, which is DIR, and without those of
// programs, which differ from machine to machine.
func Command(program string, args []string) string {
	words := []string{program}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		// A built program is that of the version named, and what was kept is what the command would measure.
		if flag := strings.TrimLeft(name, "-"); flag == "mercer" || flag == "kept" {
			if !joined {
				i++
			}
			continue
		}
		if !joined && strings.HasPrefix(name, "-") && i+1 < len(args) && isValue(args[i+1]) {
			i++
			value, joined = args[i], true
		}
		if strings.TrimLeft(name, "-") == "data" {
			value = "DIR"
		}
		words = append(words, name)
		if joined {
			words = append(words, quoted(value))
		}
	}
	return strings.Join(words, " ")
}

// isValue says whether a word is the value of the flag before it: flags have no spaces.
func isValue(word string) bool { return !strings.HasPrefix(word, "-") || strings.Contains(word, " ") }

// quoted is a word as a shell wants it.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \t'\"$`\\|&;()<>*?[]{}~#!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
