package pix_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
)

// Generators of well-formed objects, for the round trips.

func drawID[T ~string](least, most int) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		letters := rapid.SliceOfN(rapid.SampledFrom([]byte(
			"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")), least, most)
		return T(letters.Draw(t, "letters"))
	})
}

func drawTime() *rapid.Generator[time.Time] {
	const last = 253402300799999 // the end of 9999
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMilli(rapid.Int64Range(0, last).Draw(t, "ms")).UTC()
	})
}

func drawMoney(least pix.Amount) *rapid.Generator[pix.Amount] {
	return rapid.Custom(func(t *rapid.T) pix.Amount {
		return pix.Amount(rapid.Int64Range(int64(least), int64(pix.MaxAmount)).Draw(t, "cents"))
	})
}

// drawNote draws any text a store can keep, quotes and controls included.
func drawNote() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.StringN(0, 20, -1).Filter(func(s string) bool {
			for _, r := range s {
				if r == 0 {
					return false
				}
			}
			return true
		}),
		rapid.SampledFrom([]string{`"\\/` + "\b\f\n\r\t\x7f", "</script>&'", "\u2028\u2029", "😀 ação", "{[:,"}),
	)
}

func drawKey() *rapid.Generator[pix.PixKey] {
	return rapid.SampledFrom([]pix.PixKey{"+5511999998888", "loja@exemplo.com.br", testKey, `a"b\c`, "ção"})
}

func drawRefund() *rapid.Generator[pix.Refund] {
	return rapid.Custom(func(t *rapid.T) pix.Refund {
		r := pix.Refund{
			ID:       drawID[pix.RefundID](1, 35).Draw(t, "id"),
			ReturnID: drawID[pix.ReturnID](32, 32).Draw(t, "rtrId"),
			Amount:   drawMoney(1).Draw(t, "valor"),
			Nature: rapid.SampledFrom([]string{
				"", pix.NatureOriginal, pix.NatureMEDFraud, "MED_NOVA_2027"}).Draw(t, "natureza"),
			Status: rapid.SampledFrom([]pix.RefundStatus{
				pix.RefundProcessing, pix.RefundReturned, pix.RefundFailed, "AGUARDANDO_X"}).Draw(t, "status"),
			Description: drawNote().Draw(t, "descricao"),
			Reason:      drawNote().Draw(t, "motivo"),
		}
		if rapid.Bool().Draw(t, "requested") {
			r.RequestedAt = drawTime().Draw(t, "solicitacao")
		}
		if rapid.Bool().Draw(t, "settled") {
			r.SettledAt = drawTime().Draw(t, "liquidacao")
		}
		return r
	})
}

func drawPayment() *rapid.Generator[pix.Payment] {
	return rapid.Custom(func(t *rapid.T) pix.Payment {
		p := pix.Payment{
			EndToEndID: drawID[pix.EndToEndID](32, 32).Draw(t, "endToEndId"),
			Amount:     drawMoney(1).Draw(t, "valor"),
			PaidAt:     drawTime().Draw(t, "horario"),
			PayerNote:  drawNote().Draw(t, "infoPagador"),
			Refunds:    drawList(drawRefund(), 3).Draw(t, "devolucoes"),
		}
		if rapid.Bool().Draw(t, "with txid") {
			p.TxID = drawID[pix.TxID](1, 35).Draw(t, "txid")
		}
		if rapid.Bool().Draw(t, "with chave") {
			p.PixKey = drawKey().Draw(t, "chave")
		}
		return p
	})
}

// drawList draws nil for an empty list, as reading gives it back.
func drawList[T any](each *rapid.Generator[T], most int) *rapid.Generator[[]T] {
	return rapid.Custom(func(t *rapid.T) []T {
		list := rapid.SliceOfN(each, 0, most).Draw(t, "list")
		if len(list) == 0 {
			return nil
		}
		return list
	})
}

func drawExtra() *rapid.Generator[[]pix.ExtraInfo] {
	return drawList(rapid.Custom(func(t *rapid.T) pix.ExtraInfo {
		return pix.ExtraInfo{Name: "n" + drawNote().Draw(t, "nome"), Value: "v" + drawNote().Draw(t, "valor")}
	}), 3)
}

func drawDebtor() *rapid.Generator[*pix.Debtor] {
	return rapid.SampledFrom([]*pix.Debtor{
		nil,
		{CPF: "12345678909", Name: "Francisco da Silva"},
		{CNPJ: "12ABC34501DE35", Name: `Empresa "X" S/A`},
	})
}

func drawSeconds(least int) *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(least, 1<<31-1).Draw(t, "s")) * time.Second
	})
}

func drawCharge() *rapid.Generator[pix.Charge] {
	return rapid.Custom(func(t *rapid.T) pix.Charge {
		return pix.Charge{
			TxID:      drawID[pix.TxID](26, 35).Draw(t, "txid"),
			CreatedAt: drawTime().Draw(t, "criacao"),
			ExpiresIn: drawSeconds(0).Draw(t, "expiracao"),
			Revision:  rapid.IntRange(0, 1<<31-1).Draw(t, "revisao"),
			Status: rapid.SampledFrom([]pix.ChargeStatus{
				pix.ChargeActive, pix.ChargeCompleted, "NOVA_2027"}).Draw(t, "status"),
			Amount:      drawMoney(0).Draw(t, "valor"),
			PixKey:      drawKey().Draw(t, "chave"),
			Debtor:      drawDebtor().Draw(t, "devedor"),
			PayerPrompt: drawNote().Draw(t, "solicitacaoPagador"),
			Extra:       drawExtra().Draw(t, "infoAdicionais"),
			Location:    rapid.SampledFrom([]string{"", "pix.example.com/qr/v2/1"}).Draw(t, "location"),
			Payments:    drawList(drawPayment(), 2).Draw(t, "pix"),
		}
	})
}
