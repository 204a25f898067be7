package interp

import (
	"fmt"
	"regexp"
	"slices"
)

// beyond says what needs processors beyond AVX2, FMA, F16C and BMI2: the feature, as avo names it, and the instructions, as they stand in the text.
// AVX512F stands for F, BW, DQ and VL, which come together: it needs what is only encoded with EVEX, for a register, a mask, a suffix, or as it is.
var beyond = []struct {
	feature string
	text    *regexp.Regexp
}{
	{"AVX512F", regexp.MustCompile(`[ (](Z\d|K\d|[XY](1[6-9]|[23]\d))|^\S+\.|^K[A-Z]`)},
	{"AVX512F", regexp.MustCompile(`^V(ALIGN|P?BLENDM|(BROADCAST|EXTRACT|INSERT|SHUF)[FI](32|64)X|CVT\S*(QQ|U)|CVTT?PD2(PS|DQ) |GET|MOVDQ[AU]\d|` +
		`PABSQ|P(ANDN?|X?OR)[DQ] |PERM([IT]2|W)|PM(AX|IN)[SU]Q|PMOVU?S?[WDQ][BWD] |PMULLQ|PRO[LR]|PS(LL|RL|RA)VW|PSRAV?Q|PTERNLOG|RANGE|RNDSCALE|` +
		`SCALEF|FPCLASS|P?(SCATTER|COMPRESS|EXPAND)|PBROADCAST[BWDQ] [A-DRS]|PERM(Q|PD) [^$]|PS[LR]\S+ \$\w+, [^XY])`)},
	{"AVX512CD", regexp.MustCompile(`^VPLZCNT`)},
	{"AVX512VNNI", regexp.MustCompile(`^VPDP`)},
	{"AVX512VBMI", regexp.MustCompile(`^VPERM([IT]2)?B `)},
	{"AVX512VBMI2", regexp.MustCompile(`^VP(COMPRESS|EXPAND)[BW]`)},
	{"AVX512BITALG", regexp.MustCompile(`^VPOPCNT[BW]`)},
	{"AVX512VPOPCNTDQ", regexp.MustCompile(`^VPOPCNT[DQ]`)},
}

// lacks returns a feature that an instruction needs and that is not among others, or "".
func lacks(text string, features []string) string {
	for _, row := range beyond {
		if !slices.Contains(features, row.feature) && row.text.MatchString(text) {
			return row.feature
		}
	}
	return ""
}

// Within returns an error that names the first line with an instruction that processors with no more than these features beyond AVX2, FMA, F16C
// and BMI2 do not have. Features have avo's names, as AVX512F.
func (f *File) Within(features []string) error {
	for _, name := range f.names {
		for _, in := range f.functions[name].code {
			if feature := lacks(in.text, features); feature != "" {
				return fmt.Errorf("%s:%d: %s: %s: needs %s", f.name, in.line, name, in.text, feature)
			}
		}
	}
	return nil
}
