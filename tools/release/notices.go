package main

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// suffix is that of a module's path from version 2 on. NOTICES.md names modules without it.
var suffix = regexp.MustCompile(`/v\d+$`)

func bare(module string) string { return suffix.ReplaceAllString(module, "") }

// spdx are the identifiers of licences that NOTICES.md writes out.
func spdx(words string) string {
	switch words {
	case "Creative Commons Attribution 4.0":
		return "CC-BY-4.0"
	case "FreeType License":
		return "FTL"
	case "SIL Open Font License 1.1":
		return "OFL-1.1"
	}
	return words
}

var program = regexp.MustCompile("^A binary of `([^`]+)` also contains")

// parse reads NOTICES.md: for each program, licences by the modules in it. What stands before the first sentence "A binary of
// `PROGRAM` also contains" is in every program. A row is | modules | licences | from |, with commas between.
func parse(text string) (map[string]map[string][]string, error) {
	all := map[string]map[string][]string{"cmd/mercer": {}}
	now := all["cmd/mercer"]
	for i, line := range strings.Split(text, "\n") {
		if m := program.FindStringSubmatch(line); m != nil {
			now = maps.Clone(all["cmd/mercer"])
			all[m[1]] = now
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(strings.TrimSpace(cells[2]), "---") {
			continue
		}
		var licences []string
		for _, l := range strings.Split(cells[2], ",") {
			licences = append(licences, spdx(strings.TrimSpace(l)))
		}
		for _, name := range strings.Split(cells[1], ",") {
			name = strings.TrimSpace(name)
			first, _, inside := strings.Cut(name, "/")
			if !inside || !strings.Contains(first, ".") || strings.Contains(name, " ") {
				continue // no module: a heading, fonts, data
			}
			if now[name] != nil {
				return nil, fmt.Errorf("NOTICES.md:%d: %s stands there twice", i+1, name)
			}
			now[name] = licences
		}
	}
	return all, nil
}
