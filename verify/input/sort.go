package input

import "sort"

// SortStable sorts as [slices.SortStableFunc] does. That function is compiled anew for each type of element, 6 KB each time;
// this one shares its work, and takes about twice as long. It is for lists that are short, or sorted once.
func SortStable[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
