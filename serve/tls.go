package serve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// TLS returns a configuration for [Options.TLS] with the certificate and key in files of PEM, which are read again when they have changed. With a
// file of certificates of authorities, clients must have a certificate of one of them, unless they ask about health.
func TLS(certificate, key, clientAuthorities string) (*tls.Config, error) {
	pair := &keyPair{certificate: certificate, key: key}
	if _, err := pair.get(nil); err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get}
	if clientAuthorities == "" {
		return config, nil
	}
	text, err := mapfile.ReadFile(clientAuthorities, limits.ServePEM)
	if err != nil {
		return nil, err
	}
	if config.ClientCAs = x509.NewCertPool(); !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: it holds no certificate in PEM", clientAuthorities)
	}
	config.ClientAuth = tls.VerifyClientCertIfGiven // Server.allowed asks for one
	return config, nil
}

// keyPair is a certificate with its key in files.
type keyPair struct {
	certificate, key string

	mu      sync.Mutex
	looked  time.Time
	changed [2]time.Time
	current *tls.Certificate
}

// lookAgain is how long files are taken to be as they were.
const lookAgain = 10 * time.Second

// get returns the certificate as it is in the files. If they are broken, it stays what it was.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil && time.Since(p.looked) < lookAgain {
		return p.current, nil
	}
	p.looked = time.Now()
	var changed [2]time.Time
	for i, name := range []string{p.certificate, p.key} {
		if info, err := os.Stat(name); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if p.current != nil && changed == p.changed {
		return p.current, nil
	}
	pair, err := p.read()
	switch {
	case err == nil:
		p.current, p.changed = pair, changed
	case p.current == nil:
		return nil, errors.Join(fmt.Errorf("%s, %s: no certificate with its key can be read", p.certificate, p.key), err)
	}
	return p.current, nil
}

func (p *keyPair) read() (*tls.Certificate, error) {
	certificate, err := mapfile.ReadFile(p.certificate, limits.ServePEM)
	if err != nil {
		return nil, err
	}
	key, err := mapfile.ReadFile(p.key, limits.ServePEM)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	return &pair, err
}
