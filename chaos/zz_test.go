package chaos
import ("testing";"fmt")
func TestZZ(t *testing.T){
 for _, prof := range []string{"mixed","hostile","swarm"} {
  c:=map[string]int{}; n:=map[string]int{}; r,d,b:=0,0,0
  for s:=Seed(1);s<=2000;s++{ p:=generate(t,Options{Seed:s,Profile:prof}); r+=len(p.Refunds); d+=len(p.Disputes)
   for _,x:=range p.Refunds{ if x.Origin==OriginBank{b++}}
   for _,x:=range p.Faults{ c[x.Kind]++; if k:=x.Target.Callback;k!=nil{ switch k.Notice[:3]{case "ref":n["refund notices"]++;case "med":n["med notices"]++;default:n["credit+extra"]++}}; if a:=x.Target.API;a!=nil{n[a.Route]++}; if a:=x.Target.Command;a!=nil{n[a.Command]++}}}
  fmt.Println(prof,"refunds",r,"bank",b,"disputes",d)
  for _,k:=range []string{"false_refund","api_409","token_expired","token_down","api_hidden","reorder","refund_object","crash","commit_lost"}{fmt.Print(k," ",c[k],"; ")}
  fmt.Println(); fmt.Println(n)
 }
}
