// Package slsa checks our statements with the real slsa-verifier. It is a module of its own: nothing of the verifier is in the
// program. Run it with .ci/slsa.
package slsa

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	payloadType = "application/vnd.in-toto+json"
	verifierID  = "https://github.com/closeout-gate/closeout"
	keyID       = "throw-away"
)

// verifier builds the program once.
func verifier(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "slsa-verifier")
	out, err := exec.Command("go", "build", "-o", program, "github.com/slsa-framework/slsa-verifier/v2/cli/slsa-verifier").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// key is a key that nobody keeps, and the file of its public half.
func key(t *testing.T) (*ecdsa.PrivateKey, string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	return private, name
}

// sign puts a statement into a DSSE envelope.
func sign(t *testing.T, private *ecdsa.PrivateKey, statement []byte) string {
	t.Helper()
	encoded := fmt.Sprintf("DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(statement), statement)
	sum := sha256.Sum256([]byte(encoded))
	signature, err := ecdsa.SignASN1(rand.Reader, private, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := json.Marshal(map[string]any{
		"payloadType": payloadType, "payload": base64.StdEncoding.EncodeToString(statement),
		"signatures": []any{map[string]string{"keyid": keyID, "sig": base64.StdEncoding.EncodeToString(signature)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "statement.intoto.jsonl")
	if err := os.WriteFile(name, envelope, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// golden is a statement of the repository, and what it says.
func golden(t *testing.T, name string) (text []byte, sha256, commit, resource string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "statement", name+".golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Subject   []struct{ Digest map[string]string }
		Predicate struct{ ResourceURI string }
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return text, s.Subject[0].Digest["sha256"], s.Subject[1].Digest["gitCommit"], s.Predicate.ResourceURI
}

func TestVerifyVSA(t *testing.T) {
	program := verifier(t)
	private, public := key(t)
	_, other := key(t)
	run := func(file, key, digest, resource, id string, more ...string) (string, bool) {
		args := append([]string{"verify-vsa", "--attestation-path", file, "--public-key-path", key, "--public-key-id", keyID,
			"--subject-digest", digest, "--resource-uri", resource, "--verifier-id", id}, more...)
		out, err := exec.Command(program, args...).CombinedOutput()
		return string(out), err == nil
	}
	for name, level := range map[string]string{"passed": "CLOSEOUT_PASSED", "overridden": "CLOSEOUT_OVERRIDDEN", "group": "CLOSEOUT_EVIDENCE_CLAIMED"} {
		text, sum, commit, resource := golden(t, name)
		file := sign(t, private, text)
		if out, ok := run(file, public, "sha256:"+sum, resource, verifierID, "--verified-level", level, "--subject-digest", "gitCommit:"+commit); !ok {
			t.Errorf("%s is refused: %s", name, out)
		}
		forged := sign(t, private, bytes.Replace(text, []byte(`"PASSED"`), []byte(`"FAILED"`), 1))
		for what, call := range map[string]struct {
			file, key, digest, resource, id, level, want string
		}{
			"another digest":   {file, public, "sha256:" + strings.Repeat("0", 64), resource, verifierID, level, "expected digest not found"},
			"another commit":   {file, public, "gitCommit:" + strings.Repeat("0", 40), resource, verifierID, level, "expected digest not found"},
			"another resource": {file, public, "sha256:" + sum, resource + "0", verifierID, level, "resource URI mismatch"},
			"another verifier": {file, public, "sha256:" + sum, resource, verifierID + "2", level, "verifier ID mismatch"},
			"another level":    {file, public, "sha256:" + sum, resource, verifierID, "CLOSEOUT_EVIDENCE_RECORDED", "expected verified level not found"},
			"another key":      {file, other, "sha256:" + sum, resource, verifierID, level, "no valid signature"},
			"failed":           {forged, public, "sha256:" + sum, resource, verifierID, level, "verification result is not Passed"},
		} {
			out, ok := run(call.file, call.key, call.digest, call.resource, call.id, "--verified-level", call.level)
			if ok || !strings.Contains(out, call.want) {
				t.Errorf("%s: %s: accepted is %v: %s", name, what, ok, out)
			}
		}
	}
	for _, name := range []string{"failed", "review"} {
		text, sum, _, resource := golden(t, name)
		if out, ok := run(sign(t, private, text), public, "sha256:"+sum, resource, verifierID); ok || !strings.Contains(out, "verification result is not Passed") {
			t.Errorf("%s: accepted is %v: %s", name, ok, out)
		}
	}
}
