package setting

// Schema describes a setting as JSON schema (draft 2020-12): values are the text that
// --set takes, or the number itself.
type Schema struct {
	Type        string            `json:"type,omitempty"`
	Description string            `json:"description,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
	Minimum     *float64          `json:"minimum,omitempty"`
	Maximum     *float64          `json:"maximum,omitempty"`
	Above       *float64          `json:"exclusiveMinimum,omitempty"`
	Below       *float64          `json:"exclusiveMaximum,omitempty"`
	AnyOf       []Schema          `json:"anyOf,omitempty"`
	Items       *Schema           `json:"items,omitempty"`
	Default     string            `json:"x-default,omitempty"` // in words: most are found from the data
	Flag        bool              `json:"x-flag,omitempty"`    // given as --NAME
	Properties  map[string]Schema `json:"properties,omitempty"`
	// Additional is false where no other property is accepted.
	Additional *bool `json:"additionalProperties,omitempty"`
}

// Schema describes the setting.
func (s Setting) Schema() Schema {
	var kinds []Schema
	if s.Form != nil {
		kinds = append(kinds, Schema{Type: "string"})
	}
	if len(s.Words) > 0 {
		kinds = append(kinds, Schema{Type: "string", Enum: s.Words})
	}
	if s.Range != nil {
		kinds = append(kinds, s.Range.schema())
	}
	one := Schema{AnyOf: kinds}
	if len(kinds) == 1 {
		one = kinds[0]
	}
	if s.Many {
		item := one
		one = Schema{AnyOf: []Schema{item, {Type: "array", Items: &item}}}
	}
	one.Description, one.Default, one.Flag = s.About, s.Default, s.Flag
	return one
}

func (r *Range) schema() Schema {
	s := Schema{Type: "number"}
	if r.Whole {
		s.Type = "integer"
	}
	if r.Bounded != Neither {
		if r.OpenLo {
			s.Above = &r.Lo
		} else {
			s.Minimum = &r.Lo
		}
	}
	if r.Bounded == Both {
		if r.OpenHi {
			s.Below = &r.Hi
		} else {
			s.Maximum = &r.Hi
		}
	}
	return s
}

// Object is the schema of an object with the settings as properties.
func Object(list []Setting) Schema {
	no := false
	o := Schema{Type: "object", Properties: map[string]Schema{}, Additional: &no}
	for _, s := range list {
		o.Properties[s.Key()] = s.Schema()
	}
	return o
}
