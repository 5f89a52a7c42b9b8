package scenarios

import "testing"

func TestNamedScenariosEndAsTheirStorySays(t *testing.T) {
	for _, s := range Named() {
		t.Run(s.Name, func(t *testing.T) {
			r, err := s.Run(42)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Judge(r); err != nil {
				t.Fatal(err)
			}
		})
	}
}
