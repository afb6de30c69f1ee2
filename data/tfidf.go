package data

import (
	"fmt"
	"math"
)

// TF-IDF weighs counts of words, x_ij of word j in document i, by how few documents have the word, and makes
// documents of any number of words alike:
//
//	x'_ij = x_ij idf_j / ||(x_i1 idf_1, ..., x_id idf_d)||
//
// (Salton and Buckley 1988; scikit-learn's TfidfTransformer at its defaults). Documents without a word stay zero.

// tfidf is the scaling by the statistics of columns.
func tfidf(stats *ColumnStats) (Scaling, error) {
	s := Scaling{Kind: ScaleTFIDF, Scale: inverseFrequencies(stats.N, stats.NonZero)}
	for j, idf := range s.Scale {
		if least, most := stats.Min[j], stats.Max[j]; least < 0 || math.IsInf(most, 1) {
			return Scaling{}, fmt.Errorf("column %d has values from %v to %v; %s", j, least, most, ofCounts)
		}
		s.Scale[j] = 1 / idf
	}
	return s, nil
}

// ofCounts says what TF-IDF is for.
const ofCounts = "TF-IDF is of counts, which are finite and not negative: give counts, or choose --scale unit or standard"

// weighted is Apply of TF-IDF.
func (s Scaling) weighted(rows Rows) Rows {
	if rows.IsSparse() {
		return Rows{Sparse: copied(rows.Sparse, func(index []int32, row []float64) {
			for p, j := range index {
				row[p] /= s.Scale[j]
			}
			toUnit(row)
		}), ID: rows.ID}
	}
	return s.dense(rows, func(_ int, row []float64) {
		for j := range row {
			row[j] /= s.Scale[j]
		}
		toUnit(row)
	})
}

// Refuses returns what is wrong with rows that the scaling cannot be applied to, nil if it can: TF-IDF is
// of counts. The error names the first row and column, from 0.
func (s Scaling) Refuses(rows Rows) error {
	if s.Kind != ScaleTFIDF {
		return nil
	}
	for i := range rows.Len() {
		index, row := rows.row(i)
		for p, v := range row {
			if v >= 0 && !math.IsInf(v, 1) {
				continue
			}
			j := p
			if index != nil {
				j = int(index[p])
			}
			return fmt.Errorf("row %d, column %d is %v; %s", rows.RowID(i), j, v, ofCounts)
		}
	}
	return nil
}

// inverseFrequencies are the weights of words of which word j occurs in df[j] of n documents,
//
//	idf_j = ln((1 + n) / (1 + df_j)) + 1,
//
// as if one more document had every word: no word has an infinite weight, and one that all
// documents have keeps the weight 1 (scikit-learn's smooth_idf).
func inverseFrequencies(n int, df []int) []float64 {
	idf := make([]float64, len(df))
	for j, d := range df {
		idf[j] = math.Log(float64(1+n)/float64(1+d)) + 1
	}
	return idf
}
