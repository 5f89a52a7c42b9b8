package chaos

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFaultsPageListsEveryKindWithItsRates(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	for line := range strings.Lines(readDoc(t, "faults.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if name := strings.TrimSpace(cells[0]); len(cells) == 8 && strings.HasPrefix(name, "`") {
			rows[strings.Trim(name, "`")] = cells
		}
	}
	for _, k := range Kinds() {
		cells, ok := rows[k.Name]
		if !ok {
			t.Errorf("docs/faults.md has no row for %s", k.Name)
			continue
		}
		for i, rate := range []Rate{k.Mixed, k.Hostile, k.Alone} {
			if got := strings.TrimSpace(cells[4+i]); got != rate.String() {
				t.Errorf("docs/faults.md gives %s the rate %q, want %q", k.Name, got, rate)
			}
		}
		delete(rows, k.Name)
	}
	for name := range rows {
		t.Errorf("docs/faults.md has a row for %s, which is no kind", name)
	}
}

// schema is as much of JSON Schema as the plan's own uses.
type schema struct {
	Ref                  string            `json:"$ref"`
	Type                 string            `json:"type"`
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties *bool             `json:"additionalProperties"`
	Items                *schema           `json:"items"`
	Enum                 []string          `json:"enum"`
	Const                string            `json:"const"`
	Defs                 map[string]schema `json:"$defs"`
}

func readSchema(t *testing.T) schema {
	t.Helper()
	var s schema
	if err := json.Unmarshal([]byte(readDoc(t, "plan.schema.json")), &s); err != nil {
		t.Fatalf("docs/plan.schema.json: %v", err)
	}
	return s
}

// TestSchemaMatchesThePlanType walks the Go type and the schema side by side:
// the same members, required where they are always written, of the same type.
func TestSchemaMatchesThePlanType(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	matchSchema(t, root, root, reflect.TypeFor[Plan](), "plan")
}

func matchSchema(t *testing.T, root, s schema, typ reflect.Type, where string) {
	t.Helper()
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = root.Defs[name]
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case s.Const != "" || s.Enum != nil:
		if typ.Kind() != reflect.String {
			t.Errorf("%s: the schema lists texts for a %v", where, typ)
		}
	case s.Type == "array":
		if typ.Kind() != reflect.Slice {
			t.Errorf("%s: array for a %v", where, typ)
			return
		}
		matchSchema(t, root, *s.Items, typ.Elem(), where+"[]")
	case s.Type == "object":
		matchObject(t, root, s, typ, where)
	default:
		if got := schemaType(typ); got != s.Type {
			t.Errorf("%s: the schema says %q for a %v", where, s.Type, typ)
		}
	}
}

func matchObject(t *testing.T, root, s schema, typ reflect.Type, where string) {
	t.Helper()
	if s.AdditionalProperties == nil || *s.AdditionalProperties {
		t.Errorf("%s: the schema lets unknown members pass", where)
	}
	var members, always []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		members = append(members, name)
		if options != "omitempty" {
			always = append(always, name)
		}
		if inner, ok := s.Properties[name]; ok {
			matchSchema(t, root, inner, typ.Field(i).Type, where+"."+name)
		} else {
			t.Errorf("%s: the schema lacks %s", where, name)
		}
	}
	for name := range s.Properties {
		if !slices.Contains(members, name) {
			t.Errorf("%s: the schema has %s, which the plan has not", where, name)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(s.Required)), slices.Sorted(slices.Values(always))) {
		t.Errorf("%s: the schema requires %v, want %v", where, s.Required, always)
	}
}

func schemaType(typ reflect.Type) string {
	switch typ.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	}
	return "string" // a seed and a time are written as texts too
}

func TestSchemaAndPageListEveryName(t *testing.T) {
	t.Parallel()
	root, page := readSchema(t), readDoc(t, "plan.md")
	if got, want := slices.Sorted(slices.Values(root.Defs["fault"].Properties["kind"].Enum)), slices.Sorted(slices.Values(kindNames())); !slices.Equal(got, want) {
		t.Errorf("the schema's kinds are %v, want %v", got, want)
	}
	var tables []string
	for _, table := range append(RetryTables(), LiveRetry()) {
		tables = append(tables, table.Name)
	}
	if got := root.Defs["settings"].Properties["retry"].Enum; !slices.Equal(got, tables) {
		t.Errorf("the schema's retry tables are %v, want %v", got, tables)
	}
	if got := root.Defs["change"].Properties["shape"].Items.Enum; !slices.Equal(got, shapes()) {
		t.Errorf("the schema's shapes are %v, want %v", got, shapes())
	}
	for name := range root.Defs["change"].Properties {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/plan.md does not tell of %s", name)
		}
	}
}

// TestPageExampleIsAPlan reads the example of docs/plan.md.
func TestPageExampleIsAPlan(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(readDoc(t, "plan.md"), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	if _, err := ReadPlan(strings.NewReader(example)); err != nil {
		t.Error(err)
	}
}
