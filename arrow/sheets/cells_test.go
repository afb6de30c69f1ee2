package sheets_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/arrow/sheets"
	"github.com/mercer-ml/mercer/data/read"
)

// parts are the files of a workbook of one sheet, whose rows are given. Styles 1 to 5 are a date, a time, [h]:mm:ss, a code of dates and
// times, and one that is coloured as no palette has it; 6 to 9 a date or a time, 0.00%, a quoted % and a date with a time.
func parts(rows string) map[string]string {
	const (
		office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		main   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
		packed = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	return map[string]string{
		"_rels/.rels": packed + `<Relationship Id="rId1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook ` + main + ` xmlns:r="` + office + `"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/>` +
			`</sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": packed + `<Relationship Id="rId1" Type="` + office + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + office + `/styles" Target="styles.xml"/><Relationship Id="rId4" Type="` + office +
			`/theme" Target="theme/theme1.xml"/><Relationship Id="rId3" Type="` + office +
			`/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/styles.xml": `<styleSheet ` + main + `><numFmts count="3"><numFmt numFmtId="166" formatCode="0&quot;%&quot;"/>` +
			`<numFmt numFmtId="164" formatCode="[h]:mm:ss"/>` +
			`<numFmt numFmtId="165" formatCode="[$-409]d/m/yy\ h:mm;@"/></numFmts><fills><fill/><fill><patternFill patternType="solid">` +
			`<fgColor indexed="-1"/></patternFill></fill></fills><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="21"/>` +
			`<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="0" fillId="1" applyFill="1"/>` +
			`<xf numFmtId="32"/><xf numFmtId="10"/><xf numFmtId="166"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst ` + main + `><si><t>size</t></si><si><r><t>re</t></r><r><t xml:space="preserve">d </t></r>` +
			`<rPh sb="0" eb="1"><t>no</t></rPh></si><si><t>a_x000D_` + "\n" + `b_x005F_x0041_</t></si></sst>`,
		"xl/theme/theme1.xml": `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements>` +
			`<a:clrScheme name="x"/></a:themeElements></a:theme>`,
		"xl/worksheets/sheet1.xml": `<worksheet ` + main + `><cols><col min="2" max="2" width="9" style="1"/></cols><sheetData>` + rows +
			`</sheetData></worksheet>`,
	}
}

// zipped are parts as an archive, not compressed.
func zipped(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range parts {
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write writes the CSV of a workbook.
func write(t testing.TB, book []byte, limit int64, to io.Writer) error {
	t.Helper()
	return sheets.Excel{}.WriteCSV(t.Context(), read.File{ReaderAt: bytes.NewReader(book), Size: int64(len(book)), MemoryLimit: limit}, to)
}

// TestCells: a cell is what the sheet shows of it, whatever the styles of its column are.
func TestCells(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{`<c r="B1"><v>45</v></c>`, "45"},
		{`<c r="B1" s="1"><v>45</v></c>`, "1900-02-14"},
		{`<c r="B1" s="1"><v>59</v></c>`, "1900-02-28"},
		{`<c r="B1" s="1"><v>61</v></c>`, "1900-03-01"},
		{`<c r="B1" s="1"><v>0</v></c>`, "1899-12-30"},
		{`<c r="B1" s="1"><v>-1</v></c>`, "-1"},
		{`<c r="B1" s="1"><v>1e300</v></c>`, "1e300"},
		{`<c r="B1" s="2"><v>0.75</v></c>`, "18:00:00"},
		{`<c r="B1" s="1"><v>44197.75</v></c>`, "2021-01-01"},
		{`<c r="B1" s="9"><v>44197</v></c>`, "2021-01-01 00:00:00"},
		{`<c r="B1" s="2"><v>44197.75</v></c>`, "18:00:00"},
		{`<c r="B1" s="2"><v>1</v></c>`, "00:00:00"},
		{`<c r="B1" s="6"><v>0.75</v></c>`, "18:00:00"},
		{`<c r="B1" s="6"><v>44197</v></c>`, "2021-01-01"},
		{`<c r="B1" s="7"><v>0.53000000000000003</v></c>`, "53%"},
		{`<c r="B1" s="7"><v>-7.0000000000000007E-2</v></c>`, "-7%"},
		{`<c r="B1" s="8"><v>0.5</v></c>`, "0.5"},
		{`<c r="B1" s="3"><v>0.5</v></c>`, "12"},
		{`<c r="B1" s="3"><v>1.5</v></c>`, "36"},
		{`<c r="B1" s="3"><v>-0.25</v></c>`, "-6"},
		{`<c r="B1" s="4"><v>44197.75</v></c>`, "2021-01-01 18:00:00"},
		{`<c r="B1" s="5"><v>0.10000000000000001</v></c>`, "0.10000000000000001"},
		{`<c r="B1" t="b"><v>1</v></c>`, "TRUE"},
		{`<c r="B1" s="1" t="b"><f>A1=1</f><v>0</v></c>`, "FALSE"},
		{`<c r="B1" t="s"><v>0</v></c>`, "size"},
		{`<c r="B1" t="s" s="1"><v>1</v></c>`, "red "},
		{`<c r="B1" t="s"><v>2</v></c>`, "a b_x0041_"},
		{`<c r="B1" t="inlineStr" s="1"><is><t>45</t></is></c>`, `"45"`},
		{`<c r="B1" t="inlineStr"><is><t>True</t></is></c>`, `"True"`},
		{`<c r="B1" t="inlineStr"><is><r><t>R&amp;</t></r><r><t>D</t></r></is></c>`, "R&D"},
		{`<c r="B1" t="str" s="1"><f>TEXT(45)</f><v>45</v></c>`, `"45"`},
		{`<c r="B1" t="e"><v>#N/A</v></c>`, "#N/A"},
		{`<c r="B1" t="d" s="1"><v>2021-03-04</v></c>`, "2021-03-04"},
	} {
		var got strings.Builder
		err := write(t, zipped(t, parts(`<row r="1"><c r="A1" t="n"><v>7</v></c>`+c.cell+`</row><row r="3"><c><v>8</v></c></row>`)), 0, &got)
		if want := "7," + c.want + "\n,\n8,\n"; err != nil || got.String() != want {
			t.Errorf("%s: %q, %v, want %q", c.cell, got.String(), err, want)
		}
	}
}

// TestDamaged: whatever is wrong with a sheet is said in one line, with its place.
func TestDamaged(t *testing.T) {
	row := func(cells string) string {
		return `<row r="1"><c r="A1"><v>1</v></c></row><row r="2">` + cells + `</row>`
	}
	for _, c := range []struct{ rows, want string }{
		{row(`<c r="A2" t="inlineStr"><is><t>R&D</t></is></c>`), `sheet "Data", row 2: XML syntax error`},
		{row("<c r=\"A2\" t=\"str\"><v>\x0b</v></c>"), `sheet "Data", row 2: XML syntax error`},
		{row(`<c r="A2" s="1"><v>45</v>`), `sheet "Data", row 2: XML syntax error`},
		{row(`<c r="A2" s="10"><v>45</v></c>`), `sheet "Data", row 2, column 1: a style 10, which the file does not have`},
		{row(`<c r="A2" t="s"><v>3</v></c>`), `sheet "Data", row 2, column 1: a shared text 3, which the file does not have`},
		{row(`<c r="B2"><v>1</v></c><c r="A2"><v>1</v></c>`), `sheet "Data", row 2: a cell "A2" out of order`},
		{row(`<c r="A3"><v>1</v></c>`), `sheet "Data", row 2: a cell "A3" out of order`},
		{row(`<c r="XFE2"><v>1</v></c>`), `sheet "Data", row 2: a cell "XFE2", which no sheet has`},
		{row(``) + row(``), `sheet "Data": a row 1 out of order`},
		{`<row r="1048577"/>`, `sheet "Data": a row 1048577, which no sheet has`},
	} {
		err := write(t, zipped(t, parts(c.rows)), 0, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "; ") != 1 ||
			strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%s: %v, want %s", c.rows, err, c.want)
		}
	}
	book := zipped(t, parts(row(`<c r="A2"><v>123456</v></c>`)))
	book[bytes.Index(book, []byte("<v>123456"))+3] = '9'
	if err := write(t, book, 0, io.Discard); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a digit was changed: %v", err)
	}
	err := write(t, append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 512)...), 0, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "a password") {
		t.Errorf("a compound file: %v", err)
	}
	whole := parts(row(""))
	for name := range whole {
		if name == "xl/theme/theme1.xml" {
			continue
		}
		lacking := maps.Clone(whole)
		if delete(lacking, name); strings.Contains(name, "sharedStrings") || strings.Contains(name, "styles") {
			const needs = "xl/worksheets/sheet1.xml"
			lacking[needs] = parts(row(`<c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>1</v></c>`))[needs]
		}
		if err := write(t, zipped(t, lacking), 0, io.Discard); err == nil {
			t.Errorf("without %s it is read", name)
		}
	}
}

// TestHeld: cells far to the right cost no memory in other rows, and what must be held keeps to the limit.
func TestHeld(t *testing.T) {
	var rows strings.Builder
	for i := range 20 {
		fmt.Fprintf(&rows, `<row r="%d"><c r="XFD%d" s="2"><v>1</v></c></row>`, i+1, i+1)
	}
	book := zipped(t, parts(rows.String()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := write(t, book, 1<<20, io.Discard); err != nil {
		t.Error(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 20<<20 {
		t.Errorf("%d bytes are allocated for 20 cells", after.TotalAlloc-before.TotalAlloc)
	}
	whole := parts(rows.String())
	whole["xl/sharedStrings.xml"] = "<sst>" + strings.Repeat("<si/>", 100_000) + "</sst>"
	long := parts(`<row r="1"><c r="A1" t="str"><v>` + strings.Repeat("a", 1<<20+1<<13) + `</v></c></row>`)
	for _, held := range []map[string]string{whole, long} {
		if err := write(t, zipped(t, held), 1<<20, io.Discard); err == nil || !strings.Contains(err.Error(), "over the limit of 1024 KB") {
			t.Errorf("read beyond the limit: %v", err)
		}
	}
}
