package live

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, pool: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := must(x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key))(t)
	a.cert = must(x509.ParseCertificate(der))(t)
	a.pool.AddCert(a.cert)
	return a
}

// leaf is a certificate of 127.0.0.1, for both sides of a connection.
func (a *authority) leaf() tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "leaf"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(a.t)
	der := must(x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key))(a.t)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// TestMutualTLS has both directions demand certificates.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	a, foreign := newAuthority(t), newAuthority(t)
	to := &sink{seen: map[pix.EndToEndID]int{}, path: map[string]int{}}
	to.Server = httptest.NewUnstartedServer(to)
	to.TLS = &tls.Config{Certificates: []tls.Certificate{a.leaf()}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool}
	to.StartTLS()
	t.Cleanup(to.Close)
	b := start(t, func(o *Options) {
		o.APITLS = &tls.Config{Certificates: []tls.Certificate{a.leaf()}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool}
		o.CallbackTLS = &tls.Config{Certificates: []tls.Certificate{a.leaf()}, RootCAs: a.pool}
		o.WebhookURL = to.URL
	})
	if !strings.HasPrefix(b.api, "https://") {
		t.Fatalf("the API is at %s", b.api)
	}
	for name, config := range map[string]*tls.Config{
		"no certificate":      {RootCAs: a.pool},
		"another authority's": {RootCAs: a.pool, Certificates: []tls.Certificate{foreign.leaf()}},
	} {
		b.http = &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
		if _, err := b.token(); err == nil {
			t.Errorf("%s: let in", name)
		}
		b.http.CloseIdleConnections()
	}
	b.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.pool, Certificates: []tls.Certificate{a.leaf()}}}}
	if status, text := b.call("GET", "/v2/webhook/"+string(ourKey), ""); status != http.StatusOK || !strings.Contains(text, to.URL) {
		t.Errorf("%d %s", status, text)
	}
	must(b.Pay(t.Context(), static(0)))(t)
	if d := b.quiet(); d.Acknowledged != 1 || to.times(0) != 1 {
		t.Errorf("deliveries %+v", d)
	}
}

// TestFaultsOfTheAPIOnTheWire cuts one answer after its effect and holds the
// next one back.
func TestFaultsOfTheAPIOnTheWire(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	plan := planOf(1)
	path := "/v2/cob/" + chaos.Txid(plan.Seed, plan.Charges[0])
	at := func(route string, nth int) chaos.Target {
		return chaos.Target{API: &chaos.APIAddress{Route: route, Subject: "c0", Nth: nth}}
	}
	plan.Payments = nil
	plan.Faults = []chaos.Deviation{
		{Kind: "api_cut", Target: at(chaos.RouteChargePut, 1), Set: chaos.Change{Cut: true}},
		{Kind: "api_slow", Target: at(chaos.RouteChargeGet, 1), Set: chaos.Change{SlowMS: 1}},
		{Kind: "api_5xx", Target: at(chaos.RouteChargeGet, 2), Set: chaos.Change{Status: 503}},
	}
	must(b.Apply(t.Context(), plan, false))(t)
	body := fmt.Sprintf(`{"calendario":{"expiracao":3600},"valor":{"original":"10.00"},"chave":%q}`, ourKey)
	if status, _, err := b.try("PUT", path, body); err == nil {
		t.Errorf("an answer that was cut came: %d", status)
	}
	if status, text := b.call("GET", path, ""); status != http.StatusOK || !strings.Contains(text, "ATIVA") {
		t.Errorf("the effect of the call that was cut: %d %s", status, text)
	}
	if status, _ := b.call("GET", path, ""); status != http.StatusServiceUnavailable {
		t.Errorf("the third call: %d", status)
	}
	if f := must(b.Faults(t.Context()))(t); f.Fired != 3 {
		t.Errorf("faults %+v", f)
	}
	if status, text := b.call("PUT", path, strings.Repeat(" ", 1<<20)+body); status != http.StatusBadRequest || !strings.Contains(text, "larger than") {
		t.Errorf("a large body: %d %s", status, text)
	}
}

func TestIDsAreOfTheProcess(t *testing.T) {
	t.Parallel()
	a, b := &machine{idKey: []byte("a")}, &machine{idKey: []byte("b")}
	for _, n := range []int{1, 11, 32, 64} {
		if id := a.newID("rtrId", "x", n); len(id) != n || id != a.newID("rtrId", "x", n) || strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("id %q of %d characters", id, n)
		}
	}
	if a.newID("token", "loja/1", 32) == b.newID("token", "loja/1", 32) {
		t.Error("two processes make the same token")
	}
}
