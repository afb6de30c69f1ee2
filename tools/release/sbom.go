package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"strings"
)

// bill is what is in a program, as CycloneDX 1.5 has it (https://cyclonedx.org/docs/1.5/json).
type bill struct {
	Format       string      `json:"bomFormat"`
	Spec         string      `json:"specVersion"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
	Dependencies []depends   `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licensed `json:"licenses,omitempty"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licensed struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// sbom lists the modules that Go wrote into a program when it built it, with their licences by NOTICES.md, which must name all.
// The sum that go.sum has of a module is a property and no hash: it is one of a list of files, and of no file that one can fetch.
func sbom(binary []byte, version string, notices map[string][]string) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	program := made("application", info.Main.Path, version, []string{"BSD-3-Clause"})
	program.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(binary))}}
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	library := made("library", "std", strings.TrimPrefix(info.GoVersion, "go"), []string{"BSD-3-Clause"})
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{program}, Components: []component{library}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s: replaced by %s; release what others can fetch", m.Path, m.Replace.Path)
		}
		licences := notices[bare(m.Path)]
		if licences == nil {
			return nil, fmt.Errorf("%s: NOTICES.md does not name it; add it with its licence", m.Path)
		}
		c := made("library", m.Path, m.Version, licences)
		c.Properties = []property{{"go:sum", m.Sum}}
		b.Components = append(b.Components, c)
	}
	on := make([]string, len(b.Components))
	for i, c := range b.Components {
		on[i] = c.Ref
	}
	b.Dependencies = []depends{{program.Ref, on}}
	raw, err := json.MarshalIndent(b, "", "  ")
	return append(raw, '\n'), err
}

func made(kind, path, version string, licences []string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
	for _, id := range licences {
		var l licensed
		l.Licence.ID = id
		c.Licences = append(c.Licences, l)
	}
	return c
}
