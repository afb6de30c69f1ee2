package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd is mercer completion.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help shows examples.
func (completionCmd) Help() string {
	return `Examples:

    source <(mercer completion bash)
    mercer completion zsh > ~/.zfunc/_mercer          a folder of $fpath
    mercer completion fish > ~/.config/fish/completions/mercer.fish`
}

// Run prints the script.
func (c *completionCmd) Run(e *env, program *kong.Application) error {
	script := map[string]func(w *strings.Builder, verbs []*kong.Node){"bash": bash, "zsh": zsh, "fish": fish}[c.Shell]
	var b strings.Builder
	script(&b, program.Children)
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// flagsOf are the flags of a verb as they are typed.
func flagsOf(verb *kong.Node) []string {
	list := []string{"-h", "--help"}
	for _, f := range verb.Flags {
		if f.Short != 0 {
			list = append(list, "-"+string(f.Short))
		}
		list = append(list, "--"+f.Name)
	}
	return list
}

func verbNames(verbs []*kong.Node) string {
	var list []string
	for _, v := range verbs {
		list = append(list, v.Name)
	}
	return strings.Join(list, " ")
}

func bash(w *strings.Builder, verbs []*kong.Node) {
	w.WriteString("_mercer() {\n    local word=${COMP_WORDS[COMP_CWORD]} list name\n    case ${COMP_WORDS[1]} in\n")
	for _, v := range verbs {
		fmt.Fprintf(w, "    %s) list=%q ;;\n", v.Name, strings.Join(flagsOf(v), " "))
	}
	w.WriteString("    esac\n")
	fmt.Fprintf(w, "    [ \"$COMP_CWORD\" = 1 ] && list=%q\n", "help "+verbNames(verbs))
	w.WriteString("    case $COMP_CWORD,$word in\n    1,* | *,-*) COMPREPLY=($(compgen -W \"$list\" -- \"$word\")) ;;\n")
	w.WriteString("    *)\n        compopt -o filenames 2>/dev/null\n        COMPREPLY=()\n" + // names may have blanks in them
		"        while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$word\") ;;\n" +
		"    esac\n}\ncomplete -F _mercer mercer\n")
}

func zsh(w *strings.Builder, verbs []*kong.Node) {
	fmt.Fprintf(w, "#compdef mercer\nif (( CURRENT == 2 )); then\n    compadd help %s\n    return\nfi\ncase $words[2] in\n",
		verbNames(verbs))
	for _, v := range verbs {
		fmt.Fprintf(w, "    %s) [[ $words[CURRENT] == -* ]] && compadd -- %s || _files ;;\n", v.Name, strings.Join(flagsOf(v), " "))
	}
	w.WriteString("esac\n")
}

func fish(w *strings.Builder, verbs []*kong.Node) {
	for _, v := range verbs {
		fmt.Fprintf(w, "complete -c mercer -n __fish_use_subcommand -a %s -d %s\n", v.Name, shellQuoted(v.Help))
		for _, f := range v.Flags {
			short := ""
			if f.Short != 0 {
				short = " -s " + string(f.Short)
			}
			fmt.Fprintf(w, "complete -c mercer -n '__fish_seen_subcommand_from %s'%s -l %s -d %s\n", v.Name, short, f.Name,
				shellQuoted(f.Help))
		}
	}
}

// shellQuoted is a text in the single quotes of a shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
