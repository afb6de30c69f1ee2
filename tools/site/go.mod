module github.com/mercer-ml/mercer/tools/site

go 1.26

require github.com/yuin/goldmark v1.8.7
