package fmath

import (
	"math"
	"slices"
	"sync"
)

// quickExp is [expOf] of a float64 with an error that is below [quickError], by a table: nearly always that tells what the result rounds to, in a tenth of
// the time. Where it does not, as [pair.sure] says, functions take what expOf finds, so that they have its bits. The lower part of m may be up to 2^-15 of
// the upper one.
func quickExp(x float64) (m pair, n int) {
	t := float64(x*(128*log2e64)) + roundMagic64
	k := t - roundMagic64
	r := fastSum(x-float64(k*ln2Hi128th), -float64(k*ln2Mid128th)) // where that is not the greater one, both are so small that nothing is lost
	// e^r - 1 - r, of which the first digits alone count
	z := float64(r.hi * r.hi)
	p := (float64(r.hi*(1.0/120)) + 1.0/24) + float64(z*(1.0/720))
	p = (float64(r.hi*(1.0/6)) + 0.5) + float64(z*p)
	rest := float64(z*p) + (r.lo - float64(k*ln2Last128th))
	// Of r, too, 26 bits stand alone, so that their product is exact.
	const magic = 0x1.8p18
	high := (r.hi + magic) - magic
	i := int(int32(math.Float64bits(t)))
	of := &expTable[i&127]
	y := fastSum(of.hi, float64(of.hi*high))
	return pair{y.hi, (y.lo + of.lo) + (float64(of.lo*(r.hi+rest)) + float64(of.hi*((r.hi-high)+rest)))}, i >> 7
}

// quickPair is quickExp with parts as those of any pair.
func quickPair(x float64) (m pair, n int) {
	m, n = quickExp(x)
	return fastSum(m.hi, m.lo), n
}

const (
	quickError = 0x1p-63 // twice what bounds the error of [quickExp]
	exactError = 0x1p-67 // twice what bounds that of what functions fall back on, relative to it
)

// quickLog is [logOf] with an error below [quickError] / 2: what float64 finds, and by how much its exponential is not x.
func quickLog(x float64) pair {
	n, m := exponent64(pair{x, 0})
	y := log1pPoly(m.hi - 1)
	e, k := quickPair(-y)
	e = e.scaled(pow2By64(float64(k)))
	p := product(m.hi, e.hi)
	rest := (p.hi - 1) + (p.lo + float64(m.hi*e.lo))
	l := product(n, ln2Pair.hi)
	s := sum(l.hi, y)
	return fastSum(s.hi, s.lo+(rest+(l.lo+float64(n*ln2Pair.lo))))
}

// quickQuotient returns c / d with an error of 2^-100 of it.
func quickQuotient(c float64, d pair) pair {
	q := c / d.hi
	return pair{q, (fused(-q, d.hi, c) - float64(q*d.lo)) / d.hi}
}

// sure reports whether x rounds to the same float64 if it is off by at most an error.
func (x pair) sure(err float64) bool { return x.hi+(x.lo+err) == x.hi+(x.lo-err) }

// Exponentials returns the powers of the 128th root of 2 that quick exponentials are made of, each as two numbers of which the second is what the first lacks.
var Exponentials = sync.OnceValue(func() []float64 { return flat(expTable[:]) })

// Sines returns the sines of the multiples of π/128 once around, so, too.
var Sines = sync.OnceValue(func() []float64 {
	all := make([]pair, 256)
	for i := range all {
		quarter := (i + 32) / 64
		all[i] = sinCos64(uint64(quarter), piPair.times(pair{float64(i-64*quarter) / 128, 0}))
	}
	return flat(all)
})

func flat(pairs []pair) (list []float64) {
	for _, p := range pairs {
		list = append(list, p.hi, p.lo)
	}
	return slices.Clip(list)
}

// ln 2 / 128 in three parts, of which products of the first two with integers below 2^18 are exact.
const (
	ln2Hi128th   = 0x1.62e42fef80000p-8
	ln2Mid128th  = 0x1.1cf79abc80000p-43
	ln2Last128th = 0x1.e3b39803f2f6bp-79
)

// expTable has the powers of the 128th root of 2, of which hi has 26 bits.
var expTable = [128]pair{
	{1, 0}, {0x1.0163da8p+0, 0x1.fb33356d84a67p-28}, {0x1.02c9a38p+0, 0x1.9de0183b9bdf3p-26}, {0x1.04315e8p+0, 0x1.b9fe12f5ce3e7p-30},
	{0x1.059b0d0p+0, 0x1.8ac2ba1d73e2ap-27}, {0x1.0706b28p+0, 0x1.ddf6ddc6dc404p-28}, {0x1.0874518p+0, 0x1.d66f20230d7c9p-30}, {0x1.09e3ec8p+0, 0x1.6379c1a290f03p-27},
	{0x1.0b55868p+0, 0x1.3e6243d8a62e5p-26}, {0x1.0cc9228p+0, 0x1.b923fba03db83p-27}, {0x1.0e3ec30p+0, 0x1.69e8d10103a17p-27}, {0x1.0fb66a8p+0, 0x1.ffb4c6bc8c824p-26},
	{0x1.11301d0p+0, 0x1.25b50a4ebbf1bp-32}, {0x1.12abdc0p+0, 0x1.b0c72fee4aeb5p-30}, {0x1.1429aa8p+0, 0x1.aa4b77ecd0406p-26}, {0x1.15a98c8p+0, 0x1.4b1ca24901aaep-29},
	{0x1.172b838p+0, 0x1.1f545eb737df2p-26}, {0x1.18af938p+0, 0x1.191bd3777ee17p-29}, {0x1.1a35be8p+0, 0x1.b7e5ba9e5b4c8p-27}, {0x1.1bbe080p+0, 0x1.011734e6ac79dp-26},
	{0x1.1d48730p+0, 0x1.68b9aa7805b80p-28}, {0x1.1ed5020p+0, 0x1.7e6c8e5c40d00p-27}, {0x1.2063b88p+0, 0x1.8a3358ee3bac1p-30}, {0x1.21f4990p+0, 0x1.7ddc962552fd3p-28},
	{0x1.2387a68p+0, 0x1.9d588e19b07ebp-26}, {0x1.251ce48p+0, 0x1.eca98fcd60aaep-26}, {0x1.26b4560p+0, 0x1.789f37495e99dp-26}, {0x1.284dfe0p+0, 0x1.f5638096cf15dp-28},
	{0x1.29e9df0p+0, 0x1.47f7b84b09745p-26}, {0x1.2b87fd0p+0, 0x1.b5b31ffbbd48dp-29}, {0x1.2d285a0p+0, 0x1.b900c2d002475p-26}, {0x1.2ecafa8p+0, 0x1.3e2f5611ca0f4p-28},
	{0x1.306fe08p+0, 0x1.18db8a96f46adp-27}, {0x1.32170f8p+0, 0x1.13360c4d4e73cp-26}, {0x1.33c08b0p+0, 0x1.320b7fa64e431p-27}, {0x1.356c558p+0, 0x1.e4a7fc325188dp-26},
	{0x1.371a730p+0, 0x1.ceaa72a9c5154p-26}, {0x1.38cae68p+0, 0x1.417619616a72cp-26}, {0x1.3a7db30p+0, 0x1.3967fdba86f25p-26}, {0x1.3c32dc0p+0, 0x1.89d47242000f9p-27},
	{0x1.3dea648p+0, 0x1.048d088d6d049p-26}, {0x1.3fa4500p+0, 0x1.2b2006e82fdc0p-26}, {0x1.4160a20p+0, 0x1.f72e29f84325cp-28}, {0x1.431f5d8p+0, 0x1.50a896dc70444p-28},
	{0x1.44e0860p+0, 0x1.8624b40c4dbd0p-30}, {0x1.46a41e8p+0, 0x1.474015dc944bdp-26}, {0x1.486a2b0p+0, 0x1.704f3404f068fp-26}, {0x1.4a32af0p+0, 0x1.afa7bcce5b17ap-29},
	{0x1.4bfdad0p+0, 0x1.4d8a89c750e5fp-26}, {0x1.4dcb298p+0, 0x1.fddd0d63b36efp-28}, {0x1.4f9b270p+0, 0x1.a74b29ab4cf63p-26}, {0x1.516daa0p+0, 0x1.67b320e0897a9p-27},
	{0x1.5342b50p+0, 0x1.a753e077c2a0fp-26}, {0x1.551a4c8p+0, 0x1.2ec9076297631p-27}, {0x1.56f4730p+0, 0x1.ad49f699bb2c0p-26}, {0x1.58d12d0p+0, 0x1.25f1ff494af0bp-26},
	{0x1.5ab07d8p+0, 0x1.52150a56324c0p-26}, {0x1.5c92688p+0, 0x1.2ca35b80e258ep-27}, {0x1.5e76f10p+0, 0x1.6b48521ba6f93p-26}, {0x1.605e1b8p+0, 0x1.76dc08b076f59p-28},
	{0x1.6247eb0p+0, 0x1.d2ac258f87d03p-31}, {0x1.6434630p+0, 0x1.3330c7f1dbe1cp-26}, {0x1.6623880p+0, 0x1.2a91124893ecfp-27}, {0x1.68155d0p+0, 0x1.132a5cc20715dp-26},
	{0x1.6a09e60p+0, 0x1.9fcef32422cbfp-26}, {0x1.6c01270p+0, 0x1.42f6afbb5daa6p-26}, {0x1.6dfb238p+0, 0x1.19468bbc8838bp-26}, {0x1.6ff7df8p+0, 0x1.519483cf87e1bp-28},
	{0x1.71f75e8p+0, 0x1.d8bee7ba46e1ep-29}, {0x1.73f9a48p+0, 0x1.4b02e77ab934ap-29}, {0x1.75feb50p+0, 0x1.9099f22fdba6bp-26}, {0x1.7806948p+0, 0x1.f7974fd866b81p-26},
	{0x1.7a11470p+0, 0x1.f580c36bea881p-27}, {0x1.7c1ed00p+0, 0x1.30c1327c49334p-28}, {0x1.7e2f330p+0, 0x1.b3d398841740bp-26}, {0x1.8042750p+0, 0x1.0f86846d8379ap-26},
	{0x1.8258998p+0, 0x1.4cce128acf88bp-28}, {0x1.8471a40p+0, 0x1.88f1eb3394bdbp-26}, {0x1.868d998p+0, 0x1.a2497640720edp-27}, {0x1.88ac7d8p+0, 0x1.8a669966530bdp-28},
	{0x1.8ace540p+0, 0x1.15506dadd3e2bp-27}, {0x1.8cf3210p+0, 0x1.ad5122fbcaa87p-26}, {0x1.8f1ae98p+0, 0x1.1577362b98274p-28}, {0x1.9145b08p+0, 0x1.c8ffe2c4530dap-27},
	{0x1.93737b0p+0, 0x1.9b8bc9e8a0388p-29}, {0x1.95a44c8p+0, 0x1.e4290774da41bp-27}, {0x1.97d8298p+0, 0x1.f79393e2e7a48p-26}, {0x1.9a0f170p+0, 0x1.940f737462137p-29},
	{0x1.9c49180p+0, 0x1.51f8480e3e236p-27}, {0x1.9e86318p+0, 0x1.e323231824ca8p-28}, {0x1.a0c6678p+0, 0x1.aef2b2594d6d4p-27}, {0x1.a309be8p+0, 0x1.128b4cd6305c8p-26},
	{0x1.a5503b0p+0, 0x1.1f12ae45a1225p-27}, {0x1.a799e10p+0, 0x1.9859ac3796fd9p-27}, {0x1.a9e6b50p+0, 0x1.5e7f6fd0fac91p-26}, {0x1.ac36bb8p+0, 0x1.f4fcde7036e5ap-26},
	{0x1.ae89f98p+0, 0x1.5ad3ad5e8734dp-28}, {0x1.b0e0728p+0, 0x1.8db66590842adp-28}, {0x1.b33a2b8p+0, 0x1.3c57ebdaff43ap-30}, {0x1.b597288p+0, 0x1.79564e638e204p-26},
	{0x1.b7f76f0p+0, 0x1.7daf237553d84p-27}, {0x1.ba5b030p+0, 0x1.420c930819679p-29}, {0x1.bcc1e90p+0, 0x1.2f074891ee83dp-30}, {0x1.bf2c258p+0, 0x1.eb8f0442046b8p-27},
	{0x1.c199bd8p+0, 0x1.6154a7088832cp-26}, {0x1.c40ab58p+0, 0x1.fff41e9b4537ep-26}, {0x1.c67f128p+0, 0x1.95f452d2884e0p-26}, {0x1.c8f6d90p+0, 0x1.01b9ed446b2f1p-26},
	{0x1.cb720d8p+0, 0x1.3be41a4540f2fp-26}, {0x1.cdf0b50p+0, 0x1.5770fe7113e25p-26}, {0x1.d072d48p+0, 0x1.03c4bdc687918p-27}, {0x1.d2f8708p+0, 0x1.b13e315bc2473p-33},
	{0x1.d5818d8p+0, 0x1.3ee921c976817p-26}, {0x1.d80e310p+0, 0x1.b260e5eee13e7p-26}, {0x1.da9e600p+0, 0x1.ed9942b84600dp-27}, {0x1.dd321f0p+0, 0x1.80da3025b4aefp-27},
	{0x1.dfc9730p+0, 0x1.bdcdaf5cb4656p-27}, {0x1.e264610p+0, 0x1.3d684a2849d88p-26}, {0x1.e502ee0p+0, 0x1.e2cffd89cf44cp-26}, {0x1.e7a51f8p+0, 0x1.e3a641a5aa459p-27},
	{0x1.ea4afa0p+0, 0x1.52486cc2c7b9dp-27}, {0x1.ecf4828p+0, 0x1.6399fc236c0c5p-26}, {0x1.efa1be8p+0, 0x1.985689ddc7f48p-26}, {0x1.f252b30p+0, 0x1.daeea5d3a1a5cp-26},
	{0x1.f507658p+0, 0x1.b722a033a7c26p-27}, {0x1.f7bfda8p+0, 0x1.672f84e244ed3p-26}, {0x1.fa7c180p+0, 0x1.9e90d82e90a7ep-28}, {0x1.fd3c228p+0, 0x1.c7b8f884badd2p-27},
}
