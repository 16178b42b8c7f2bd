package keydiff

import (
	"errors"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

var (
	iniSection  = input.Lazily(`^\[([^\[\]]+)\]$`)
	iniKey      = input.Lazily(`^([A-Za-z_][\w.{},!-]*)\s*[=:](.*)$`)
	requirement = requirements.top
	factors     = input.Lazily(`^[\w{},!.-]+:\s+`)
	otherDeps   = input.Lazily(`^\{\[[\w:.-]+\]deps\}$`)
	describes   = input.Lazily(`^(?:metadata\.(?:version|(?:long_)?description(?:_content_type)?|(?:author|maintainer)(?:_email)?|` +
		`classifiers|keywords|license(?:_files?)?|(?:download_)?url|project_urls)|options\.(?:python_requires|zip_safe|include_package_data)|options\.package_data\..*|testenv(?:\..*)?\.description|tox\.min_?version)$`)
	requires = input.Lazily(`^(?:tox\.requires|testenv(?:\..*)?\.deps|options\.(?:install_requires|setup_requires|tests_require)|` +
		`options\.extras_require\..*)$`)
	// oddLine are characters that end a line for some readers and not for others.
	oddLine = "\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029\x00"
)

// iniKeys are the keys of a setup.cfg: the section and the name. Requirements of a registry are dependencies, what
// describes a project is its description, and environments count where one goes. In a tox.ini, a section that no other
// tool reads is one of tox.
func iniKeys(tox bool) reader {
	return parts(func(data []byte) (map[string]string, error) { return readINI(string(data), tox) })
}

// toolSections are sections of a tox.ini that are for another tool.
var toolSections = input.Lazily(`^(?:tox|testenv|pytest|tool|coverage|flake8|mypy|pylint|isort|pycodestyle|pep8|pydocstyle|doc8|gh-actions|gh)(?:\.|$)`)

func readINI(text string, tox bool) (map[string]string, error) {
	values, err := iniValues(strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	all := map[string]string{"dependencies": "", "description": ""}
	var dependencies, description []string
	for key, value := range values {
		if tox && !toolSections().MatchString(key) {
			section, name, _ := strings.Cut(key, ".")
			key = "testenv.[" + section + "]." + name // not that of an environment with this name
		}
		switch {
		case describes().MatchString(key):
			description = append(description, key+"="+value)
		case key == "tox.envlist" || key == "tox.env_list":
			all[fewer+"environments"] = sorted(environments(value))
		case requires().MatchString(key):
			var other strings.Builder
			for line := range strings.SplitSeq(value, "\n") {
				name := strings.TrimSpace(factors().ReplaceAllString(line, ""))
				switch {
				case line == "":
				case requirement().MatchString(name) && !archive().MatchString(name), otherDeps().MatchString(name):
					dependencies = append(dependencies, key+"="+line)
				default:
					other.WriteString(line + "\n")
				}
			}
			if other.Len() > 0 {
				all[sourceOf+key] = other.String()
			}
		default:
			all[key] = value + "\n"
		}
	}
	all["dependencies"], all["description"] = sorted(dependencies), sorted(description)
	return all, nil
}

// iniValues reads the values by section and name. It takes less than the readers of Python do: what two of them read
// differently is an error.
func iniValues(text string) (map[string]string, error) {
	if strings.ContainsAny(text, oddLine) || strings.HasPrefix(text, "\ufeff") {
		return nil, errors.New("it has characters that end a line for some readers")
	}
	lines := map[string][]string{} // of each value, the first one empty where it begins below its key
	section, key := "", ""
	for raw := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(raw)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case strings.TrimLeft(raw, " \t") != raw:
			if key == "" {
				return nil, errors.New("a line is indented below no key")
			}
			lines[key] = append(lines[key], line)
		case iniSection().MatchString(line):
			section, key = sectionKey(iniSection().FindStringSubmatch(line)[1]), ""
		default:
			m := iniKey().FindStringSubmatch(line)
			if m == nil || section == "" {
				return nil, errors.New("a line is neither a section nor a key")
			}
			if key = section + "." + tomlKey(strings.ToLower(m[1])); lines[key] != nil || strings.Contains(m[1], "=") {
				return nil, errors.New("a key is there twice")
			}
			lines[key] = []string{strings.TrimSpace(m[2]) + " "}
		}
	}
	values := make(map[string]string, len(lines))
	for key, list := range lines {
		values[key] = strings.TrimSpace(strings.Join(list, "\n"))
	}
	return values, nil
}

// sectionKey is the key of a section: "testenv:py" is testenv.py, and "mypy-a.*" belongs to mypy.
func sectionKey(section string) string {
	if module, found := strings.CutPrefix(section, "mypy-"); found {
		return "mypy." + tomlKey(module)
	}
	var parts []string
	for part := range strings.SplitSeq(section, ":") {
		for name := range strings.SplitSeq(part, ".") {
			parts = append(parts, tomlKey(name))
		}
	}
	return strings.Join(parts, ".")
}

// environments expands the list of a tox.ini: py{39,310}-a is two.
func environments(value string) (list []string) {
	depth := 0
	for entry := range strings.FieldsFuncSeq(value, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0 && strings.ContainsRune(", \n\t", r)
	}) {
		open := []string{entry}
		for len(open) > 0 && len(list) < maxKeys {
			at := open[len(open)-1]
			start := strings.IndexByte(at, '{')
			end := strings.IndexByte(at, '}')
			if open = open[:len(open)-1]; start < 0 || end < start {
				list = append(list, at)
				continue
			}
			for option := range strings.SplitSeq(at[start+1:end], ",") { // the last one first, so that few are open
				open = append(open, at[:start]+strings.TrimSpace(option)+at[end+1:])
			}
		}
	}
	if len(list) >= maxKeys {
		return []string{value}
	}
	return list
}

var (
	moduleSection = input.Lazily(`^\[submodule "([^"\\]+)"\]$`)
	moduleKey     = input.Lazily(`^(path|url|shallow)\s*=\s*([\w.@][\w./:@~+ -]*|https://[\w./:@~+-]+)$`)
	moduleURL     = input.Lazily(`^(?:https://|(?:\w+@)?[\w.-]+:[\w~]|\.\.?/)`)
)

// readModules reads a .gitmodules. A submodule may come, and have another address: the tree says which commit it has.
// Where one goes, or is at another path, a checkout is without it.
func readModules(text string) map[string]string {
	var modules []string
	var rest strings.Builder
	name := ""
	seen := map[string]bool{}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = strings.Trim(line, " \t")
		section, m := moduleSection().FindStringSubmatch(line), moduleKey().FindStringSubmatch(line)
		known := !strings.ContainsAny(line, oddLine)
		switch {
		case line == "" || (known && (line[0] == '#' || line[0] == ';')):
			continue
		case known && section != nil:
			name = section[1]
			known = !seen["["+name]
			seen["["+name] = true
		case known && m != nil && name != "":
			known = !seen[m[1]+" "+name] && !seen["at "+m[2]] && (m[1] != "url" || moduleURL().MatchString(m[2]))
			seen[m[1]+" "+name] = true
			if m[1] == "path" {
				seen["at "+m[2]] = true
				modules = append(modules, name+" "+m[2])
			}
		default:
			known = false
		}
		if !known {
			rest.WriteString(name + " " + line + "\n")
		}
	}
	return map[string]string{fewer + "submodules": sorted(modules), "content": rest.String()}
}
