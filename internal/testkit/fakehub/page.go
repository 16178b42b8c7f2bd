package fakehub

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

func asIs(item map[string]any) map[string]any { return item }

// page answers with the part of a list that was asked for, and says in the Link header where the others are.
func page[T any](w http.ResponseWriter, r *http.Request, list []T, show func(T) map[string]any) {
	size, number := number(r, "per_page", 30), number(r, "page", 1)
	size = min(size, 100)
	last := max((len(list)+size-1)/size, 1)
	from := min((number-1)*size, len(list))
	link(w, r, number, last)
	shown := []map[string]any{}
	for _, item := range list[from:min(from+size, len(list))] {
		shown = append(shown, show(item))
	}
	reply(w, http.StatusOK, shown)
}

func number(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

func link(w http.ResponseWriter, r *http.Request, number, last int) {
	var parts []string
	add := func(page int, rel string) {
		u := *r.URL
		q := u.Query()
		q.Set("page", strconv.Itoa(page))
		u.RawQuery = q.Encode()
		parts = append(parts, fmt.Sprintf(`<http://%s%s>; rel=%q`, r.Host, u.RequestURI(), rel))
	}
	if number < last {
		add(number+1, "next")
		add(last, "last")
	}
	if number > 1 {
		add(1, "first")
		add(number-1, "prev")
	}
	if parts != nil {
		w.Header().Set("Link", strings.Join(parts, ", "))
	}
}
