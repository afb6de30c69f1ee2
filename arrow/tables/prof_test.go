package tables
import ("testing";"context";"os";"github.com/mercer-ml/mercer/data/read";"github.com/mercer-ml/mercer/apply";"math/rand")
func BenchmarkRead(b *testing.B){
 name:=b.TempDir()+"/a.parquet"
 f,_:=os.Create(name)
 cols:=make([]apply.Column,51)
 var out apply.Rows
 for k:=0;k<12;k++{
 for j:=range cols{cols[j].Name=string(rune('A'+j)); if j<50 {cols[j].Numbers=make([]float64,8192); for i:=range cols[j].Numbers{cols[j].Numbers[i]=rand.Float64()}} else {cols[j].Words=make([]string,8192)}}
 if out==nil{out,_=Parquet{}.Begin(f,cols)}
 out.Write(cols)}
 out.Close(); f.Close()
 for b.Loop(){ _,_,err:=read.Open(context.Background(),name,read.Options{Formats:[]read.Further{Parquet{}}}); if err!=nil{b.Fatal(err)}}
}
