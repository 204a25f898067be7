package session_test
import ("testing";"fmt";"encoding/json";"github.com/concord-nn/concord/webnn/session";"github.com/concord-nn/concord/webnn")
func BenchmarkCheck(b *testing.B) {
	h := session.NewHost(session.HostOptions{Context: webnn.ContextOptions{CheckOnly: true}})
	do := func(s string) { h.Do([]byte(s), nil, func(r session.Reply) { if r.Error != nil {b.Fatal(r.Error)}; json.Marshal(r) }) }
	do(`{"on":"ml","call":"createContext","args":[],"id":"c"}`)
	do(`{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"c"}],"id":"b"}`)
	do(`{"on":"b","call":"input","args":["x",{"dataType":"float32","shape":[2,3]}],"id":"b.1"}`)
	b.ReportAllocs()
	i := 1
	for b.Loop() {
		do(fmt.Sprintf(`{"on":"b","call":"add","args":[{"$ref":"b.%d"},{"$ref":"b.1"},{"label":"a"}],"id":"b.%d"}`, i, i+1))
		i++
	}
}
