package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
)

// Bounds of what a reader is asked to read. Code, results and pages that a command writes do not count.
const (
	mostWords      = 30_000 // of README.md and docs/*.md
	mostUsersWords = 20_000 // of those for users
	meanSentence   = 20     // words a sentence, on users' pages
	longSentence   = 45     // words of the longest sentence there
)

// generated are the pages that a command writes from declarations.
var generated = map[string]bool{
	"docs/commands.md": true, "docs/methods.md": true, "docs/settings.md": true, "docs/sources.md": true,
}

// sentences are those of the running text of a page: paragraphs and lists, without headings, tables and blocks of code. A word or a
// command between backquotes is one word.
func (p *page) sentences() []string {
	var all []string
	for _, text := range p.texts() {
		all = append(all, cutSentences(text)...)
	}
	return all
}

// texts are the paragraphs and points of lists of a page.
func (p *page) texts() []string {
	var all []string
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing here fails
		if entering && (n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock) {
			all = append(all, p.inline(n))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// inline is the text of a paragraph, a stretch of code being the word `x`.
func (p *page) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing here fails
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			b.WriteString("x")
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			b.Write(n.Segment.Value(p.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// cutSentences ends a sentence at a full stop, a question mark or an exclamation mark before a blank and a word that begins anew, so
// that 0.5, e.g. and file.csv end none.
func cutSentences(text string) []string {
	words := strings.Fields(text)
	var all []string
	begin := 0
	for i, w := range words {
		last := i == len(words)-1
		bare := strings.TrimRight(w, "\"')")
		ends := strings.HasSuffix(bare, ".") || strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, "!")
		if last || ends && startsAnew(words[i+1]) {
			all = append(all, strings.Join(words[begin:i+1], " "))
			begin = i + 1
		}
	}
	return all
}

// startsAnew: a word in capitals, a number or code may begin a sentence.
func startsAnew(word string) bool {
	word = strings.TrimLeft(word, "\"'(")
	return word == "x" || word != "" && (unicode.IsUpper([]rune(word)[0]) || unicode.IsDigit([]rune(word)[0]))
}

// counted are the words of a page, those of tables, headings and code in running text included.
func (p *page) counted() int {
	count := 0
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing here fails
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHeading, ast.KindParagraph, ast.KindTextBlock, extended.KindTableCell:
			count += len(strings.Fields(plain(n, p.source)))
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return count
}

// ownWords are the words that docs/notation.md calls the code's own.
func ownWords(t *testing.T) []string {
	t.Helper()
	p, err := read(os.DirFS("../.."), "docs/notation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(p.source), "\n## The code's own words\n")
	list, _, _ = strings.Cut(list, "\n## ")
	var words []string
	for _, entry := range regexp.MustCompile(`(?m)^\* \*\*([^*]+)\*\*`).FindAllStringSubmatch(list, -1) {
		words = append(words, strings.Split(entry[1], ", ")...)
	}
	if len(words) < 10 {
		t.Fatalf("docs/notation.md calls %q the code's own", words)
	}
	return words
}

// What people read is short, and in the field's words: users' pages have no long sentences and no words of the code.
func TestWords(t *testing.T) {
	// A support vector machine is the field's, as are the parts of a virtual or a learning one.
	field := regexp.MustCompile(`(?i)(support[ -]vector|vector|machine)[ -](machines?|learning)`)
	var own []*regexp.Regexp
	for _, word := range ownWords(t) {
		own = append(own, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(word)+`s?\b`))
	}
	all, users, words, count := 0, 0, 0, 0
	for _, s := range subjects() {
		for _, name := range s.pages {
			if generated[name] || name != "README.md" && (!strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, results)) {
				continue
			}
			p, err := read(os.DirFS("../.."), name)
			if err != nil {
				t.Fatal(err)
			}
			all += p.counted()
			if !s.users {
				continue
			}
			users += p.counted()
			sum, ended := 0, 0
			for _, sentence := range p.sentences() {
				n := len(strings.Fields(sentence))
				if strings.ContainsAny(sentence[len(sentence)-1:], ".?!") { // a point of a list may be no sentence
					sum, ended = sum+n, ended+1
				}
				if n > longSentence {
					t.Errorf("%s: a sentence of %d words, at most %d are meant to be: %s", name, n, longSentence, sentence)
				}
				for _, w := range own {
					if w.MatchString(field.ReplaceAllString(sentence, "")) {
						t.Errorf("%s: %q is a word of the code (docs/notation.md): %s", name, w, sentence)
					}
				}
			}
			words, count = words+sum, count+ended
			t.Logf("%s: %d words, %.1f a sentence", name, p.counted(), float64(sum)/float64(max(ended, 1)))
		}
	}
	mean := float64(words) / float64(count)
	t.Logf("%d words, %d of them for users, %.1f a sentence there", all, users, mean)
	if all > mostWords || users > mostUsersWords || mean > meanSentence {
		t.Errorf("README.md and docs/*.md have %d words (at most %d), users' pages %d (at most %d), %.1f a sentence (at most %d)",
			all, mostWords, users, mostUsersWords, mean, meanSentence)
	}
}

func TestCutSentences(t *testing.T) {
	for text, want := range map[string]int{
		"One. Two? Three!": 3, "A value of 0.5 in rows.csv, e.g. the last": 1, "It is (so.) But x is not.": 2, "": 0, "no end": 1,
		"ends. x begins": 2, "Version 2. 3 rows": 2,
	} {
		if got := cutSentences(text); len(got) != want {
			t.Errorf("%q is cut into %q", text, got)
		}
	}
}
