// Package hook answers what a coding agent's hook asks: payload bytes in, answer bytes out. It is pure. What a write would be
// judged as is said by the policy, as in the gate.
package hook
