package geometry

// Place returns the place, from least to most, that an index into n elements stands for. A negative one counts from the end, and one that is out of
// range stands for the nearest place.
func Place(i, n, least, most int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, least), most)
}

// Places returns where a part of n elements begins and ends that is counted as in Python. An end is exclusive: with a negative step it may be -1.
func Places(begin, end, step, n int) (first, behind int) {
	least, most := 0, n
	if step < 0 {
		least, most = -1, n-1
	}
	return Place(begin, n, least, most), Place(end, n, least, most)
}
