package fakehub

import (
	"fmt"
	"net/http"
	"net/http/httptest"
)

// Status answers with a status, headers (name, value, …) and GitHub's error body.
func Status(status int, message string, headers ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		refuse(w, status, message)
	}
}

// Body answers 200 with a text.
func Body(text string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprint(w, text) }
}

// Truncated breaks the connection off in the middle of the answer.
func Truncated(w http.ResponseWriter, r *http.Request, answer http.Handler) {
	whole := httptest.NewRecorder()
	answer.ServeHTTP(whole, r)
	body := whole.Body.Bytes()
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body[:len(body)/2])
}

// Dead closes the connection without an answer.
func Dead(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// Slow answers when the client no longer waits.
func Slow(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// Redirect sends the client elsewhere.
func Redirect(status int, to string) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) { http.Redirect(w, r, to, status) }
}

// Unlinked answers without the Link header.
func Unlinked(w http.ResponseWriter, r *http.Request, answer http.Handler) {
	whole := httptest.NewRecorder()
	answer.ServeHTTP(whole, r)
	_, _ = w.Write(whole.Body.Bytes())
}
