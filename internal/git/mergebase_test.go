package git_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// randomDAG makes a history with many merges, several roots and many wrong dates, and gives the ids of its commits.
func randomDAG(t testing.TB, seed uint64, commits int) (dir string, ids []string) {
	t.Helper()
	dir = initRepo(t)
	random := rand.New(rand.NewPCG(seed, 2))
	h := newHistory(seed, 40)
	for n := 1; n <= commits; n++ {
		var parents []int
		for range []int{0, 1, 1, 1, 2, 2, 3}[random.IntN(7)] {
			if parent := n - 1 - random.IntN(min(8, n)); parent > 0 && !slices.Contains(parents, parent) {
				parents = append(parents, parent)
			}
		}
		date := 1_700_000_000 + n
		if random.IntN(3) == 0 {
			date = 1_700_000_000 + random.IntN(2*commits) - commits/2
		}
		h.put("n", "100644 "+strconv.Itoa(n))
		h.commit("c"+strconv.Itoa(n), date, parents...)
	}
	h.load(t, dir)
	for n := 1; n <= commits; n++ {
		ids = append(ids, line(t, dir, "rev-parse", "c"+strconv.Itoa(n)))
	}
	return dir, ids
}

// gitBases asks git for all merge bases, sorted.
func gitBases(t testing.TB, dir, a, b string) string {
	t.Helper()
	out, err := tryGit(t, dir, "merge-base", "--all", a, b)
	if err != nil && out != "" {
		t.Fatal(err)
	}
	bases := strings.Fields(out)
	slices.Sort(bases)
	return strings.Join(bases, " ")
}

func ourBases(t testing.TB, r *git.Repo, a, b string) (string, error) {
	t.Helper()
	bases, err := r.MergeBases(resolve(t, r, a), resolve(t, r, b))
	texts := []string{}
	for _, id := range bases {
		texts = append(texts, id.String())
	}
	return strings.Join(texts, " "), err
}

// TestMergeBases compares with git on histories with criss-cross merges, several roots and wrong dates.
func TestMergeBases(t *testing.T) {
	several, none := 0, 0
	for seed := range uint64(6) {
		dir, ids := randomDAG(t, seed, 40)
		r := open(t, dir)
		random := rand.New(rand.NewPCG(seed, 3))
		for range 40 {
			a, b := ids[random.IntN(len(ids))], ids[random.IntN(len(ids))]
			got, err := ourBases(t, r, a, b)
			if want := gitBases(t, dir, a, b); err != nil || got != want {
				t.Errorf("seed %d, %s %s: %s %v, want %s", seed, a, b, got, err, want)
			}
			several += strings.Count(got, " ")
			if got == "" {
				none++
			}
		}
	}
	if several == 0 || none == 0 {
		t.Errorf("the histories are too simple: several bases %d times, none %d times", several, none)
	}
}

// ancestors gives all ancestors of each commit, itself included, from git's own list of parents.
func ancestors(t testing.TB, dir string) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	rows := strings.Split(strings.TrimSpace(runGit(t, dir, "rev-list", "--all", "--parents", "--topo-order", "--reverse")), "\n")
	for _, row := range rows {
		ids := strings.Fields(row)
		mine := map[string]bool{ids[0]: true}
		for _, parent := range ids[1:] {
			for id := range all[parent] {
				mine[id] = true
			}
		}
		all[ids[0]] = mine
	}
	return all
}

// trueBases computes the merge bases by their definition.
func trueBases(all map[string]map[string]bool, a, b string) string {
	var bases []string
	for x := range all[a] {
		best := all[b][x]
		for y := range all[a] {
			best = best && !(y != x && all[b][y] && all[y][x])
		}
		if best {
			bases = append(bases, x)
		}
	}
	slices.Sort(bases)
	return strings.Join(bases, " ")
}

// TestMergeBasesShallow checks that a shallow clone gives the answer of the whole history or none, and often gives one.
// It does not compare with git, whose answer is often wrong in a shallow clone.
func TestMergeBasesShallow(t *testing.T) { basesOfShallow(t, 1) }

// basesOfShallow does that with clones of some random histories.
func basesOfShallow(t *testing.T, histories uint64) {
	t.Helper()
	answers, refusals := uint64(0), uint64(0)
	for seed := range histories {
		dir, ids := randomDAG(t, seed, 40)
		all := ancestors(t, dir)
		random := rand.New(rand.NewPCG(seed, 4))
		for range 12 {
			a, b := random.IntN(len(ids)), random.IntN(len(ids))
			r := open(t, shallowClone(t, dir, 1+random.IntN(8), a+1, b+1))
			got, err := ourBases(t, r, ids[a], ids[b])
			if incomplete := (*git.Incomplete)(nil); errors.As(err, &incomplete) {
				refusals++
				continue
			}
			answers++
			if want := trueBases(all, ids[a], ids[b]); err != nil || got != want {
				t.Errorf("seed %d, %s %s: %s %v, want %s", seed, ids[a], ids[b], got, err, want)
			}
		}
	}
	if answers < 3*histories || refusals < 3*histories {
		t.Errorf("%d answers and %d refusals, want many of both", answers, refusals)
	}
}

// shallowClone fetches two commits of a random history with a depth.
func shallowClone(t testing.TB, dir string, depth, a, b int) string {
	t.Helper()
	clone := initRepo(t)
	runGit(t, clone, "fetch", "-q", "--depth", strconv.Itoa(depth), "file://"+dir, fmt.Sprintf("c%d:a", a), fmt.Sprintf("c%d:b", b))
	return clone
}

// TestMergeBasesShallowCases checks common histories. In each the base forked from the main line at m.
func TestMergeBasesShallowCases(t *testing.T) {
	dir := initRepo(t)
	h := newHistory(1, 40)
	n := 0
	commit := func(branch string, parents ...int) int {
		n++
		h.put("n", "100644 "+strconv.Itoa(n))
		return h.commit(branch, 1_700_000_000+n, parents...)
	}
	old := commit("old")
	m := commit("m", commit("main", commit("main", old)))
	base := commit("base", commit("base", m))
	commit("ahead", commit("ahead", base))
	commit("fork", commit("fork", commit("fork", m)))
	side := commit("side", commit("side", commit("side", old)))
	commit("crossed", commit("crossed", m), side)
	h.load(t, dir)
	for _, c := range []struct {
		a, b  string
		depth int
		want  string // a ref, or "" for Incomplete
	}{
		{"base", "ahead", 3, "base"},
		{"base", "ahead", 2, "base"}, // the parent that the clone hides was fetched as a branch
		{"base", "ahead", 1, ""},
		{"base", "fork", 4, "m"},
		{"base", "fork", 3, "m"},
		{"base", "fork", 2, ""},
		{"base", "crossed", 3, ""}, // the history of side is cut, and base may be in it
		{"base", "crossed", 9, "m"},
		{"base", "base", 1, "base"},
	} {
		clone := initRepo(t)
		runGit(t, clone, "fetch", "-q", "--depth", strconv.Itoa(c.depth), "file://"+dir, c.a+":"+c.a, "+"+c.b+":"+c.b)
		got, err := ourBases(t, open(t, clone), c.a, c.b)
		incomplete := (*git.Incomplete)(nil)
		if c.want == "" && (!errors.As(err, &incomplete) || !strings.Contains(err.Error(), "fetch-depth: 0")) {
			t.Errorf("%v: %s %v, want Incomplete", c, got, err)
		}
		if c.want != "" && (err != nil || got != line(t, dir, "rev-parse", c.want)) {
			t.Errorf("%v: %s %v", c, got, err)
		}
	}
}

// TestMergeBasesCriss checks a criss-cross merge, which has two bases, and histories without a common commit.
func TestMergeBasesCriss(t *testing.T) {
	dir := initRepo(t)
	h := newHistory(1, 40)
	root := h.commit("root", 1)
	a, b := h.commit("a", 2, root), h.commit("b", 3, root)
	h.commit("left", 4, a, b)
	h.commit("right", 5, b, a)
	h.commit("alone", 6)
	h.load(t, dir)
	r := open(t, dir)
	got, err := ourBases(t, r, "left", "right")
	if want := gitBases(t, dir, "left", "right"); err != nil || got != want || !strings.Contains(got, " ") {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	bases, err := r.MergeBases(resolve(t, r, "left"), resolve(t, r, "alone"))
	if bases == nil || len(bases) != 0 || err != nil {
		t.Errorf("%v %v, want an empty slice", bases, err)
	}
}
