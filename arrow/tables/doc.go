// Package tables reads Parquet files and those of Arrow's interprocess format (files, of which Feather's second version is
// one, and streams), and writes predictions as both. Formats are values of read.Further and apply.Writer.
//
// A number is the number that the file has: integers are rounded to doubles beyond 2^53 and single precision is
// widened. Every other cell is the text that it has as CSV: true and false, 2006-01-02, 2006-01-02 15:04:05 with
// the fraction of a second that there is and, where the column has a time zone, +00:00 after the time in that zone's UTC;
// 15:04:05; decimals with all their digits; the word itself of a dictionary. What has no value is a missing cell.
//
// The library that decodes files panics at some damaged ones, and believes sizes that files claim. All calls of it are in
// functions that recover, its memory is counted before it is allocated (memory.go), and sizes for which it makes room beside that are
// compared with what the file has (sizes.go for Arrow; footer.go, pages.go and codecs.go for Parquet).
package tables
