package pix

import (
	"fmt"
	"strings"
)

// A BR Code is the text behind a Pix QR code ("copia e cola"), by the Central
// Bank's BR Code manual on top of EMV QRCPS: fields of a two-digit id, a
// two-digit length and a value, ending in a checksum.
const (
	brcodeGUI     = "br.gov.bcb.pix"
	brcodeMax     = 99 // of a field's value
	brcodeNameMax = 25
	brcodeCityMax = 15
	brcodeTxIDMax = 25
	brcodeURLMax  = 77
	brcodeAnyTxID = "***"
)

// StaticBRCode is a reusable code that carries the key itself. A Pix made from
// it is told of by callback only if the code has a TxID.
type StaticBRCode struct {
	Key    PixKey
	Text   string // for the payer; cut to what the key leaves room for
	Amount Amount // 0 lets the payer choose
	Name   string // merchant; accents are taken off, then cut to 25
	City   string // likewise, cut to 15
	TxID   TxID   // 1 to 25 of [a-zA-Z0-9]; "" for none
}

// DynamicBRCode is a code that carries the address of a charge's payload. The
// payload says the amount and the txid.
type DynamicBRCode struct {
	URL  string // Charge.Location: without scheme, at most 77 characters of ASCII
	Name string
	City string
}

// String writes the code, or "" where the parts cannot make one: a bad key, an
// amount the wire cannot carry, a TxID of another form, no name or city.
func (c StaticBRCode) String() string {
	_, err := ParsePixKey(string(c.Key))
	if err != nil || !c.Amount.Valid() || len(c.TxID) > brcodeTxIDMax || !alnum(string(c.TxID)) {
		return ""
	}
	account := brcodeField("00", brcodeGUI) + brcodeField("01", string(c.Key))
	if room := brcodeMax - len(account) - 4; room > 0 {
		if text := brcodeText(c.Text, room); text != "" {
			account += brcodeField("02", text)
		}
	}
	amount := ""
	if c.Amount > 0 {
		amount = brcodeField("54", c.Amount.String())
	}
	txid := string(c.TxID)
	if txid == "" {
		txid = brcodeAnyTxID
	}
	return brcode("", account, amount, c.Name, c.City, txid)
}

// String writes the code, or "" where the parts cannot make one: a URL that is
// missing, too long or has a scheme, no name or city.
func (c DynamicBRCode) String() string {
	if c.URL == "" || len(c.URL) > brcodeURLMax || strings.Contains(c.URL, "://") ||
		brcodeText(c.URL, brcodeURLMax) != c.URL {
		return ""
	}
	account := brcodeField("00", brcodeGUI) + brcodeField("25", c.URL)
	const once = "010212" // field 01, value 12: to be used once
	return brcode(once, account, "", c.Name, c.City, brcodeAnyTxID)
}

func brcode(use, account, amount, name, city, txid string) string {
	name, city = brcodeText(name, brcodeNameMax), brcodeText(city, brcodeCityMax)
	if name == "" || city == "" {
		return ""
	}
	s := brcodeField("00", "01") + use +
		brcodeField("26", account) +
		brcodeField("52", "0000") + // no merchant category
		brcodeField("53", "986") + // BRL
		amount +
		brcodeField("58", "BR") +
		brcodeField("59", name) +
		brcodeField("60", city) +
		brcodeField("62", brcodeField("05", txid)) +
		"6304"
	return s + fmt.Sprintf("%04X", crc16(s))
}

func brcodeField(id, value string) string {
	n := len(value) // at most 99
	return id + string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) + value
}

// brcodeText makes s printable ASCII of at most most characters. Lengths in a
// code count characters to some readers and bytes to others; in ASCII they are
// the same. Accents come off; what has no plain letter is left out.
func brcodeText(s string, most int) string {
	if !plain([]byte(s)) {
		var b strings.Builder
		for _, r := range s {
			b.WriteString(plainLetter(r))
		}
		s = b.String()
	}
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = strings.TrimSpace(s[:most])
	}
	return s
}

// plainLetter is the ASCII for a letter of a western European language.
func plainLetter(r rune) string {
	const from = "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿ"
	const to = "AAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooouuuuyy"
	switch {
	case r >= ' ' && r <= '~':
		return string(r)
	case r == 'ª':
		return "a"
	case r == 'º':
		return "o"
	case r == 'ß':
		return "ss"
	case r == 'Æ', r == 'æ':
		return "ae"
	}
	// Every letter of from takes two bytes, its plain one takes one.
	if i := strings.IndexRune(from, r); i >= 0 {
		return to[i/2 : i/2+1]
	}
	return ""
}

// crc16 is CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, not reflected.
func crc16(s string) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
