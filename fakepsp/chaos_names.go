package fakepsp

import "github.com/pixlab/pixlab/chaos"

const (
	routeRefundPut = "devolucao.put"
	routeRefundGet = "devolucao.get"
	routeToken     = "oauth.token"
	placeToken     = "psp/token"
)

func revokes(ch chaos.Change) bool { return false }
