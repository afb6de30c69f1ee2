// Command release builds the program mercer for every platform, packs it, and says what is in it:
//
//	go run ./tools/release -version v0.1.0 -o DIR
//
// DIR then has, for each platform, an archive (.tar.gz, .zip for Windows) of the program, README.md, CHANGELOG.md, LICENSE,
// NOTICES.md and the licences of the modules in the program; a wheel of the Python package with the same program; an SBOM beside
// them (CycloneDX 1.5 in JSON); and SHA256SUMS of all. The
// same source and the same version of Go give the same files, bit for bit, wherever the source lies: programs are built without
// cgo and without paths, entries of archives are sorted and have one fixed time.
package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platform is an operating system and a processor, as Go names them.
type platform struct{ system, processor string }

func (p platform) String() string { return p.system + "/" + p.processor }

// platforms are those that are released.
func platforms() []platform {
	return []platform{
		{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	}
}

var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("o", "", "the folder of the release; made if it is not there, else it must be empty")
	version := flags.String("version", "", "such as v0.1.0: what mercer version prints")
	root := flags.String("root", ".", "the folder of go.mod")
	only := flags.String("only", "", "one platform, such as linux/amd64, in the place of all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || !versions.MatchString(*version) || flags.NArg() > 0 {
		return errors.New("usage: go run ./tools/release -version v0.1.0 -o DIR [-only linux/amd64]")
	}
	wanted := platforms()
	if *only != "" {
		wanted = slices.DeleteFunc(wanted, func(p platform) bool { return p.String() != *only })
		if len(wanted) == 0 {
			return fmt.Errorf("-only %s: give one of %v", *only, platforms())
		}
	}
	return release(*root, *out, *version, wanted)
}

// release writes the archives, the SBOMs and their sums.
func release(root, out, version string, wanted []platform) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if there, err := os.ReadDir(out); err != nil || len(there) > 0 {
		return cmp.Or(err, fmt.Errorf("%s: not empty; give a new folder, so that SHA256SUMS are of this release alone", out))
	}
	notices, err := os.ReadFile(filepath.Join(root, "NOTICES.md"))
	if err != nil {
		return err
	}
	licences, err := parse(string(notices))
	if err != nil {
		return err
	}
	var sums []string
	for _, p := range wanted {
		name := fmt.Sprintf("mercer_%s_%s_%s", strings.TrimPrefix(version, "v"), p.system, p.processor)
		binary, err := build(root, version, p)
		if err != nil {
			return err
		}
		bill, err := sbom(binary, version, licences["cmd/mercer"])
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		files, err := contents(root, p, binary)
		if err != nil {
			return err
		}
		packed, ending, err := pack(name, p, files)
		if err != nil {
			return err
		}
		wheelName, wheeled, err := wheel(root, version, p, files)
		if err != nil {
			return err
		}
		for _, f := range []entry{{name + ending, packed, false}, {wheelName, wheeled, false}, {name + ".cdx.json", bill, false}} {
			if err := os.WriteFile(filepath.Join(out, f.name), f.content, 0o644); err != nil {
				return err
			}
			sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(f.content), f.name))
		}
		fmt.Printf("%s: %d bytes, %d packed\n", name, len(binary), len(packed))
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(strings.Join(sums, "")), 0o644)
}
