package fakehub

import (
	"cmp"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// account is how an account stands inside other things; nil when it was deleted.
func (h *Hub) account(login string) map[string]any {
	if login == "" {
		return nil
	}
	v := shape("rest.user.default-response")
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	v["login"], v["id"], v["type"] = login, idOf(login), kind
	if u := h.Users[login]; u != nil {
		v["id"], v["type"] = u.ID, cmp.Or(u.Type, kind)
		if u.App != "" {
			v["html_url"] = "https://github.com/apps/" + u.App
		}
	}
	return v
}

// idOf is the id of an account that no test describes.
func idOf(login string) int64 {
	switch login {
	case "web-flow":
		return 19864447
	case "ghost":
		return 10137
	}
	return 1<<32 + int64(crc32.ChecksumIEEE([]byte(login)))
}

// accountOf finds an account by an address; nil when GitHub knows none.
func (h *Hub) accountOf(email string) map[string]any {
	if email == "noreply@github.com" {
		return h.account("web-flow")
	}
	for login, u := range h.Users {
		if slices.Contains(u.Emails, email) {
			return h.account(login)
		}
	}
	return nil
}

func (h *Hub) user(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	if u := h.Users[login]; u == nil || u.Missing {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	h.show(w, login)
}

// show tells more of an account than its place inside other things does.
func (h *Hub) show(w http.ResponseWriter, login string) {
	v := h.account(login)
	v["email"] = nil
	if email := h.Users[login].Email; email != "" {
		v["email"] = email
	}
	reply(w, http.StatusOK, v)
}

// userByID finds an account whose login changed.
func (h *Hub) userByID(w http.ResponseWriter, r *http.Request) {
	for login, u := range h.Users {
		if !u.Missing && strconv.FormatInt(u.ID, 10) == r.PathValue("id") {
			h.show(w, login)
			return
		}
	}
	refuse(w, http.StatusNotFound, "Not Found")
}

func (h *Hub) me(w http.ResponseWriter, _ *http.Request) {
	if h.TokenLogin == "" {
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
		return
	}
	reply(w, http.StatusOK, h.account(h.TokenLogin))
}

var older = map[string]string{"maintain": "write", "triage": "read", "": "none"}

func (h *Hub) permission(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	u := h.Users[login]
	if u == nil {
		refuse(w, http.StatusNotFound, login+" is not a user")
		return
	}
	v := shape("rest.collaborator-permission.response-if-user-has-admin-permissions")
	v["role_name"] = cmp.Or(u.Role, "none")
	v["permission"] = cmp.Or(u.Permission, older[u.Role], u.Role)
	account := h.account(login)
	if u.Permissions != nil {
		account["permissions"] = u.Permissions
	}
	v["user"] = account
	reply(w, http.StatusOK, v)
}

func (h *Hub) team(w http.ResponseWriter, r *http.Request) {
	slug := r.PathValue("slug")
	if t := h.Teams[slug]; t == nil || t.Hidden {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	reply(w, http.StatusOK, map[string]any{"id": 1, "slug": slug, "name": slug})
}

func (h *Hub) membership(w http.ResponseWriter, r *http.Request) {
	t := h.Teams[r.PathValue("slug")]
	if t == nil || t.Hidden || t.Members[r.PathValue("login")] == "" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	reply(w, http.StatusOK, map[string]any{"state": t.Members[r.PathValue("login")], "role": "member"})
}
